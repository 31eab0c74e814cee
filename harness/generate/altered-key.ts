/** Small changes to a valid key: what a careless comparison would let pass. */

import { type Arbitrary, constantFrom, nat, record } from 'fast-check';

/** A change that makes another text of any text; the key itself never shows in a counterexample. */
export interface Alteration {
  readonly kind: 'replace' | 'insert' | 'remove' | 'append' | 'switch-case' | 'quote';
  /** Where, as a share of the length in thousandths. */
  readonly at: number;
}

export const alteration: Arbitrary<Alteration> = record({
  kind: constantFrom<Alteration['kind'][]>(
    'replace',
    'insert',
    'remove',
    'append',
    'switch-case',
    'quote',
  ),
  at: nat(999),
});

/** A character that keys do not have, so that the result is nobody's key. */
const FOREIGN = '~';
/** A shorter key without one of its characters could be that of somebody else. */
const LONG_ENOUGH = 16;
/** The letters of a number in base 16 or 32 say the same in either case, also behind a prefix: so many digits are no chance. */
const MIN_DIGITS = 16;
const NUMBERS = [/[0-9a-f-]+/giu, /[A-Z2-7]{16,}/gu, /[a-z2-7]{16,}/gu];
/** A text in base 64 that lacks its padding may be read as the same: it goes with the character before it. */
const PADDING = '=';
const END = new RegExp(`.${PADDING}*$`, 'u');

/**
 * The altered text, undefined when the change would make no other text, perhaps somebody's key, or another spelling
 * of the same one.
 */
export function altered(key: string, { kind, at }: Alteration): string | undefined {
  const index = Math.floor((at / 1_000) * key.length);
  const [before, here, after] = [key.slice(0, index), key.charAt(index), key.slice(index + 1)];
  const result = {
    replace: here === PADDING ? key : before + FOREIGN + after,
    insert: before + FOREIGN + here + after,
    remove: key.length < LONG_ENOUGH ? key : removed(key, index),
    append: key + FOREIGN,
    'switch-case': isDigit(key, index) ? key : before + switched(here) + after,
    quote: `"${key}"`,
  }[kind];
  return result === key ? undefined : result;
}

/** Changes by which careless comparisons show, each where it makes another key at all. */
export const tellingAlterations: readonly Alteration[] = [
  { kind: 'remove', at: 999 },
  { kind: 'replace', at: 999 },
  { kind: 'remove', at: 0 },
  { kind: 'insert', at: 0 },
  { kind: 'append', at: 0 },
  { kind: 'switch-case', at: 0 },
  { kind: 'quote', at: 0 },
];

function removed(key: string, index: number): string {
  const rest = key.replace(END, '');
  return index < rest.length ? key.slice(0, index) + key.slice(index + 1) : rest;
}

/** Whether a character is one of a number in base 16 or 32: of all that the key is, or of a long part of it. */
function isDigit(key: string, index: number): boolean {
  return NUMBERS.flatMap((digits) => Array.from(key.matchAll(digits))).some(
    ({ 0: digits, index: from }) =>
      from <= index &&
      index < from + digits.length &&
      (digits.length >= MIN_DIGITS || digits.length === key.length),
  );
}

function switched(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}
