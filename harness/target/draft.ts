/** Writes a target file: a draft of what is known and what is not, or a whole one. */

import { Document, isCollection, isMap, isPair, isScalar, parse } from 'yaml';
import { contractData } from '../../schemas/contracts.ts';
import type { Contract, Need } from '../../schemas/requirement.ts';
import { hideBraces, showBraces } from './concealment.ts';
import { valueAt } from './keys.ts';

export interface DraftLine {
  /** Names from the top of the file, as in `bindings`, `presets`, `items`. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** False: commented out. */
  readonly active: boolean;
  /** Said above the line. */
  readonly remarks: readonly string[];
}

/** What is known of a need: its value, or a remark on why there is none. */
export type Finding = { readonly value: unknown } | { readonly remark: string };
export type Known<Name extends string = string> = ReadonlyMap<Name, Finding>;

/** A line for every need of the contract, in the order of the register. */
export function linesForNeeds(contract: Contract, known: Known): readonly DraftLine[] {
  const register = contractData(contract).needs;
  const names = Object.keys(register);
  return Object.entries(register).flatMap(([name, need]) => {
    // A need inside another one is part of its line.
    if (names.some((other) => name.startsWith(`${other}.`))) return [];
    const found = known.get(name);
    const path = name.split('.');
    const active = found !== undefined && 'value' in found;
    const others = Object.entries(Object(exampleOf(need, path.slice(0, -1))));
    return [
      {
        path,
        value: active ? found.value : exampleOf(need, path),
        active,
        remarks: [
          ...(active ? [] : [sentence(need.purpose)]),
          ...(found !== undefined && 'remark' in found ? [found.remark] : []),
        ],
      },
      // What an example has beside it belongs to it.
      ...others
        .filter(([other]) => path.length > 1 && other !== path.at(-1))
        .map(([other, value]) => ({
          path: [...path.slice(0, -1), other],
          value,
          active: false,
          remarks: [],
        })),
    ];
  });
}

/** The value that the example line of a need has at its place. */
function exampleOf(need: Need, path: readonly string[]): unknown {
  const line: unknown = parse(hideBraces(need.line), (_key, held: unknown) =>
    typeof held === 'string' ? showBraces(held) : held,
  );
  return valueAt(line, path);
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The lines as YAML. Groups stay in the order in which they first come. */
export function draftText(lines: readonly DraftLine[]): string {
  return groupsOf(lines)
    .map(([name, members]) => {
      const group = members.some(({ path }) => path.length > 1);
      return `${group ? '\n' : ''}${block(name, members).join('\n')}\n`;
    })
    .join('');
}

function groupsOf(
  lines: readonly DraftLine[],
): readonly (readonly [name: string, members: readonly DraftLine[]])[] {
  const groups = new Map<string, DraftLine[]>();
  for (const line of lines) {
    const [name = ''] = line.path;
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  return [...groups];
}

/** One member and what is in it. A block of which nothing is known is commented out whole. */
function block(name: string, lines: readonly DraftLine[]): readonly string[] {
  const [first] = lines;
  const text =
    first?.path.length === 1
      ? [...first.remarks.map((remark) => `# ${remark}`), `${name}: ${flow(first.value)}`]
      : [
          `${name}:`,
          ...groupsOf(lines.map((line) => ({ ...line, path: line.path.slice(1) }))).flatMap(
            ([inner, members]) => block(inner, quieted(members, lines)).map((line) => `  ${line}`),
          ),
        ];
  return lines.some(({ active }) => active) ? text : text.map(commentedOut);
}

/** In a block that is commented out already, its lines need no sign of their own. */
function quieted(members: readonly DraftLine[], all: readonly DraftLine[]): readonly DraftLine[] {
  return all.some(({ active }) => active)
    ? members
    : members.map((line) => ({ ...line, active: true }));
}

function commentedOut(line: string): string {
  return line.startsWith('#') ? line : `# ${line}`;
}

/** A value on one line. */
function flow(value: unknown): string {
  const document = new Document(value);
  return document
    .toString({ collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true })
    .trim();
}

/** What each part is for, as a comment above it. */
const comments: Readonly<Record<string, string>> = {
  name: ' Names the target in reports.',
  keys: ' API keys. In the file of a deployment elsewhere write ${NAME}, and set that variable.',
  bindings:
    ' How the deployment does what the contract leaves open; paths are relative to baseUrl.',
  instances: ' Instances with a role. What provision makes or lists may be stopped and destroyed.',
  models: ' Models with a role, behind the scripted backend unless said otherwise.',
  limits: ' Settings of the deployment that its answers depend on.',
  backend: ' Where the agents of the deployment find the scripted backend.',
  hooks:
    ' Commands that create a condition, and exit once it holds. They run in the folder of this file.',
  consent: ' What the suite may do here beside reading. Everything is off unless it is true.',
  budget: ' How much the suite may ask of the deployment.',
};

/** The longest collection, as printed on one line, that is kept on one line. */
const ONE_LINE = 90;

/**
 * A target file as commented YAML, which `parseTarget` reads back. Pure; the object is a target file as an
 * author would write it, so what stands under `keys` is printed as it is.
 */
export function asTargetFile(target: object): string {
  const document = new Document(target);
  const root = document.contents;
  if (!isMap(root)) throw new TypeError('a target is an object');
  for (const [index, pair] of root.items.entries()) {
    if (!isScalar(pair.key)) continue;
    const comment = comments[String(pair.key.value)];
    if (comment === undefined) continue;
    pair.key.commentBefore = comment;
    pair.key.spaceBefore = index > 0;
  }
  for (const pair of root.items) layOut(pair.value, true);
  return document.toString({ lineWidth: 0 });
}

/** Small inner collections stand on one line, as people write them. */
function layOut(node: unknown, outermost: boolean): void {
  if (!isCollection(node)) return;
  const small = JSON.stringify(node).length <= ONE_LINE;
  if (small && !(outermost && isMap(node) && node.items.length > 1)) {
    node.flow = true;
    return;
  }
  for (const item of node.items) layOut(isPair(item) ? item.value : item, false);
}
