/** Small changes to a valid key: what a careless comparison would let pass. */

import { type Arbitrary, constantFrom, nat, record } from 'fast-check';

/** A change that makes another text of any text; the key itself never shows in a counterexample. */
export interface Alteration {
  readonly kind: 'replace' | 'insert' | 'remove' | 'append' | 'switch-case';
  /** Where, as a share of the length in thousandths. */
  readonly at: number;
}

export const alteration: Arbitrary<Alteration> = record({
  kind: constantFrom<Alteration['kind'][]>('replace', 'insert', 'remove', 'append', 'switch-case'),
  at: nat(999),
});

/** A character that keys do not have, so that the result is nobody's key. */
const FOREIGN = '~';
/** A shorter key without one of its characters could be that of somebody else. */
const LONG_ENOUGH = 16;

/** The altered text, undefined when the change would make no other text or perhaps somebody's key. */
export function altered(key: string, { kind, at }: Alteration): string | undefined {
  const index = Math.floor((at / 1_000) * key.length);
  const [before, here, after] = [key.slice(0, index), key.charAt(index), key.slice(index + 1)];
  const result = {
    replace: before + FOREIGN + after,
    insert: before + FOREIGN + here + after,
    remove: key.length < LONG_ENOUGH ? key : before + after,
    append: key + FOREIGN,
    'switch-case': before + switched(here) + after,
  }[kind];
  return result === key ? undefined : result;
}

function switched(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}
