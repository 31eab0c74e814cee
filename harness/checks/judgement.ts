/** The result of a check: how many things it judged, and what was wrong. */

import type { Exchange } from '../exchange/exchange.ts';

export interface Violation {
  /** What is wrong, in one sentence, for the person who must fix it. */
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  /** The exchanges that show the violation, the most telling one first. */
  readonly exchanges: readonly Exchange[];
  /** One response shows it alone, so that no change of what it is compared with explains it. */
  readonly byItself?: true;
}

/** The outcome of one pure check. `seen` counts what the check could judge, right or wrong. */
export interface Judgement {
  readonly seen: number;
  readonly violations: readonly Violation[];
  /** How many attempts were made until nothing was wrong (default 1). */
  readonly tries?: number;
}

/** The exchanges show nothing that this check could judge. */
export const notObserved: Judgement = { seen: 0, violations: [] };

/** The check judged `seen` things, and all were right. */
export function pass(seen = 1): Judgement {
  return { seen, violations: [] };
}

/** The check judged one thing, and it was wrong. */
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

/** Merges a list of judgements. A list and not rest arguments, since a hostile page can have a hundred thousand items. */
export function joined(judgements: readonly Judgement[]): Judgement {
  return {
    seen: judgements.reduce((sum, judgement) => sum + judgement.seen, 0),
    violations: judgements.flatMap((judgement) => judgement.violations),
    ...triesOf(judgements.reduce((most, { tries = 1 }) => Math.max(most, tries), 1)),
  };
}

/** The member `tries`, only where there was more than one attempt. */
export function triesOf(tries: number): { readonly tries?: number } {
  return tries > 1 ? { tries } : {};
}

/** Passes when `condition` holds, and is violated otherwise. */
export function expectThat(
  condition: boolean,
  message: string,
  sides: { readonly expected: unknown; readonly actual: unknown },
  ...exchanges: readonly Exchange[]
): Judgement {
  return condition ? pass() : violated(message, sides, ...exchanges);
}

/** Characters of a value that are shown, and characters of a common prefix that are kept before the difference. */
const PRESENTED_LENGTH = 2_000;
const PRESENTED_BEFORE = 100;

/** A value for a human reader: text as it is, everything else as JSON, long values cut. */
export function present(value: unknown): string {
  return shown(textOf(value), 0);
}

/** Presents both sides. Where both are long, most of their common prefix is left out so that the difference shows. */
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

/** Values nested deeper than JSON.stringify can follow are replaced by a note. */
function asJson(value: unknown): string {
  try {
    const digits = (_: string, member: unknown): unknown =>
      typeof member === 'bigint' ? String(member) : member;
    return JSON.stringify(value, digits) ?? String(value);
  } catch (error) {
    return error instanceof RangeError ? '(nested too deeply to be shown)' : String(value);
  }
}
