/** Tells which needs of requirements a target meets, and the lines that would meet the others. */

import { parse, stringify } from 'yaml';
import { contractData } from '../../schemas/contracts.ts';
import type { Need } from '../../schemas/requirement.ts';
import type { Target } from '../../schemas/target.ts';
import { isObject } from '../exchange/body.ts';
import { hideBraces, showBraces } from './concealment.ts';
import { valueAt } from './keys.ts';

/** A need that a target does not meet, and the line of the target file that would meet it. */
export interface MissingNeed extends Need {
  readonly need: string;
}

/** True when the target file meets the need or all needs that replace it; consent must be `true`. */
export function offers(target: Target, need: string): boolean {
  const others = contractData(target.contract).needs[need]?.or;
  return says(target, need) || others?.every((other) => says(target, other)) === true;
}

function says(target: Target, need: string): boolean {
  const value = valueAt(target, need.split('.'));
  return value !== undefined && value !== false;
}

/** The needs that the target does not meet, without duplicates, in the given order. */
export function missingNeeds(target: Target, wanted: Iterable<string>): readonly MissingNeed[] {
  const { needs } = contractData(target.contract);
  const missing = [...new Set(wanted)].filter((need) => !offers(target, need));
  return missing.flatMap((need) => {
    const known = needs[need];
    return known === undefined ? [] : [{ need, purpose: known.purpose, line: known.line }];
  });
}

/** A line of a target file as a value, with its variables and path parameters as they are written. */
export function valueOfLine(line: string): unknown {
  return parse(hideBraces(line), (_key, held: unknown) =>
    typeof held === 'string' ? showBraces(held) : held,
  );
}

/** The lines merged into one YAML block, one entry for each top-level key. */
export function oneBlock(lines: readonly string[]): string {
  const block = lines.map(valueOfLine).reduce(merged, {});
  return stringify(block, { lineWidth: 0 }).trimEnd();
}

function merged(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return other;
  const entries = Object.entries(other).map(([name, value]) => [name, merged(one[name], value)]);
  return { ...one, ...Object.fromEntries(entries) };
}
