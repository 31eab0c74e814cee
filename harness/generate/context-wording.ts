/** Messages that speak of the context together with length, window or token: any order, any case, anything around. */

import { type Arbitrary, boolean, array, constantFrom, tuple } from 'fast-check';
import { plainText } from './plain-text.ts';

/** A word in any mixture of upper and lower case. */
function anyCase(word: string): Arbitrary<string> {
  const upper = array(boolean(), { minLength: word.length, maxLength: word.length });
  return upper.map((flags) =>
    Array.from(word, (letter, at) => (flags[at] === true ? letter.toUpperCase() : letter)).join(''),
  );
}

/**
 * What stands between the two words. Engines may say much there; how far into a raw body a router looks is open, so that it is
 * no more than one sentence.
 */
const between = constantFrom(
  ' ',
  '_',
  '-',
  ' exceeds the ',
  ': ',
  ' (',
  '\t',
  '/',
  ' is less than what this request came to, which is the ',
);

/** Short texts with the wording in whole words. */
export const contextWording: Arbitrary<string> = tuple(
  anyCase('context'),
  constantFrom('length', 'window', 'token', 'lengths', 'windows', 'tokens').chain(anyCase),
  boolean(),
  between,
  plainText.filter((text) => text.length < 40),
  boolean(),
).map(([subject, companion, subjectFirst, gap, filler, fillerFirst]) => {
  const wording = subjectFirst ? subject + gap + companion : companion + gap + subject;
  return fillerFirst ? `${filler} ${wording}` : `${wording} ${filler}`;
});
