/** What a check says: how much it saw, and what was wrong. */

import type { Exchange } from '../exchange/exchange.ts';

export interface Violation {
  /** What is wrong, in one sentence, for the person who must mend it. */
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  /** The exchanges that show it, the telling one first. */
  readonly exchanges: readonly Exchange[];
}

/** The outcome of one pure check. `seen` counts what could have been wrong, whether it was or not. */
export interface Judgement {
  readonly seen: number;
  readonly violations: readonly Violation[];
  /** How often it was looked until nothing was wrong; once unless told. */
  readonly tries?: number;
}

/** Nothing that this check speaks of was there. */
export const notObserved: Judgement = { seen: 0, violations: [] };

/** Seen `seen` times and right each time. */
export function pass(seen = 1): Judgement {
  return { seen, violations: [] };
}

/** Seen once and wrong. */
export function violated(
  message: string,
  sides: { readonly expected: unknown; readonly actual: unknown },
  ...exchanges: readonly Exchange[]
): Judgement {
  const [expected, actual] = presentBoth(sides.expected, sides.actual);
  return { seen: 1, violations: [{ message, expected, actual, exchanges }] };
}

/** Several judgements of the same requirement as one. */
export function together(...judgements: readonly Judgement[]): Judgement {
  return joined(judgements);
}

/** All of them in one, however many there are: a hostile page has a hundred thousand items. */
export function joined(judgements: readonly Judgement[]): Judgement {
  return {
    seen: judgements.reduce((sum, judgement) => sum + judgement.seen, 0),
    violations: judgements.flatMap((judgement) => judgement.violations),
    ...triesOf(judgements.reduce((most, { tries = 1 }) => Math.max(most, tries), 1)),
  };
}

/** Says how often it was looked, where that was more than once. */
export function triesOf(tries: number): { readonly tries?: number } {
  return tries > 1 ? { tries } : {};
}

/** Held when `condition`, otherwise violated. */
export function expectThat(
  condition: boolean,
  message: string,
  sides: { readonly expected: unknown; readonly actual: unknown },
  ...exchanges: readonly Exchange[]
): Judgement {
  return condition ? pass() : violated(message, sides, ...exchanges);
}

/** Characters of a value that are shown, and of what two long ones begin with alike. */
const PRESENTED_LENGTH = 2_000;
const PRESENTED_BEFORE = 100;

/** A value as a person reads it: text as it is, everything else as JSON, long things cut. */
export function present(value: unknown): string {
  return shown(textOf(value), 0);
}

/** Both sides; of long ones what they begin with alike is left out, so that the difference is seen. */
function presentBoth(expected: unknown, actual: unknown): readonly [string, string] {
  const [left, right] = [textOf(expected), textOf(actual)];
  const length = Math.min(left.length, right.length);
  let same = 0;
  while (same < length && left[same] === right[same]) same += 1;
  const start = same > PRESENTED_LENGTH / 2 ? same - PRESENTED_BEFORE : 0;
  return [shown(left, start), shown(right, start)];
}

function shown(text: string, start: number): string {
  const part = text.slice(start, start + PRESENTED_LENGTH);
  if (part.length === text.length) return text;
  const rest = start + part.length < text.length ? '…' : '';
  return `${start > 0 ? '… ' : ''}${part}${rest} (${text.length} characters)`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : asJson(value);
}

/** Values that a server nested deeper than JSON.stringify can follow are named instead of shown. */
function asJson(value: unknown): string {
  try {
    const digits = (_: string, member: unknown): unknown =>
      typeof member === 'bigint' ? String(member) : member;
    return JSON.stringify(value, digits) ?? String(value);
  } catch (error) {
    return error instanceof RangeError ? '(nested too deeply to be shown)' : String(value);
  }
}
