/** Writes a target file: a draft with known and unknown parts, or a complete one. */

import { Document, isCollection, isMap, isPair, isScalar } from 'yaml';
import { contractData } from '../../schemas/contracts.ts';
import type { Contract, Need } from '../../schemas/requirement.ts';
import { valueAt } from './keys.ts';
import { valueOfLine } from './offers.ts';

export interface DraftLine {
  /** Names from the top of the file, as in `bindings`, `presets`, `items`. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** False for a line that is commented out. */
  readonly active: boolean;
  readonly remarks: readonly string[];
}

/** The known value of a need, or a remark on why there is none. */
export type Finding = { readonly value: unknown } | { readonly remark: string };
export type Known<Name extends string = string> = ReadonlyMap<Name, Finding>;

/** A line for every need of the contract, in the order of the register. */
export function linesForNeeds(contract: Contract, known: Known): readonly DraftLine[] {
  const register = contractData(contract).needs;
  const names = Object.keys(register);
  return Object.entries(register).flatMap(([name, need]) => {
    // The line of an outer need contains its inner needs.
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
      // The other members of the example go with the need.
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

/** The value at a path in the example line of a need. */
function exampleOf(need: Need, path: readonly string[]): unknown {
  return valueAt(valueOfLine(need.line), path);
}

/** The words as a sentence, with a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The lines as YAML, with groups in the order of their first lines. */
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

/** One top-level member with its content. A block without active lines is commented out as a whole. */
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

/** Marks all lines active if the block has no active line, since the whole block is then commented out. */
function quieted(members: readonly DraftLine[], all: readonly DraftLine[]): readonly DraftLine[] {
  return all.some(({ active }) => active)
    ? members
    : members.map((line) => ({ ...line, active: true }));
}

function commentedOut(line: string): string {
  return line.startsWith('#') ? line : `# ${line}`;
}

function flow(value: unknown): string {
  const document = new Document(value);
  return document
    .toString({ collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true })
    .trim();
}

/** The purpose of each part, written as a comment above it. */
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

/** The longest JSON text of a collection that is written on one line. */
const ONE_LINE = 90;

/** A target file as commented YAML, which `parseTarget` reads back. Keys are printed as they are in the object. */
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

function layOut(node: unknown, outermost: boolean): void {
  if (!isCollection(node)) return;
  const small = JSON.stringify(node).length <= ONE_LINE;
  if (small && !(outermost && isMap(node) && node.items.length > 1)) {
    node.flow = true;
    return;
  }
  for (const item of node.items) layOut(isPair(item) ? item.value : item, false);
}
