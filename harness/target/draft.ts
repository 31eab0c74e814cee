/** Drafts a target file: what is known stands in it, what is not stands commented out, with what it is for. */

import { contractData } from '../../schemas/contracts.ts';
import { Document, parse } from 'yaml';
import type { Need, Contract } from '../../schemas/requirement.ts';
import { hideBraces, showBraces } from './variables.ts';

export interface DraftLine {
  /** Names from the top of the file, as in `bindings`, `presets`, `items`. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** False: commented out. */
  readonly active: boolean;
  /** Said above the line. */
  readonly remarks: readonly string[];
}

/** What is known of a need: its value, or why there is none. */
export type Known = ReadonlyMap<string, { readonly value: unknown } | { readonly remark: string }>;

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
  let value: unknown = parse(hideBraces(need.line), (_key, held: unknown) =>
    typeof held === 'string' ? showBraces(held) : held,
  );
  for (const step of path) value = Object(value)[step];
  return value;
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
