/** Raw text that is no JSON and repeats nothing of its beginning, shorter or longer than what a message may keep. */

import { type Arbitrary, constantFrom, integer, nat, record } from 'fast-check';

/** Numbered words of at least so many bytes, all ASCII: no beginning of the text occurs in it twice. */
export function numberedWords(bytes: number): string {
  const words = ['engine said:'];
  let length = 12;
  for (let at = 0; length < bytes; at += 1) {
    words.push(String(at));
    length += 1 + String(at).length;
  }
  return words.join(' ');
}

/** From a few bytes to a few times the limit of 512, in ASCII. */
export const shortRawText: Arbitrary<string> = integer({ min: 12, max: 200 }).map((bytes) =>
  numberedWords(bytes).slice(0, bytes),
);

export const longRawText: Arbitrary<string> = integer({ min: 513, max: 3_000 }).map((bytes) =>
  numberedWords(bytes),
);

/** Characters of two, three and four bytes in UTF-8. */
const wide = constantFrom('é', 'ß', '界', '€', '🚀', '𝔘');

/**
 * Long text of wide characters behind zero to three bytes of ASCII, so that the 512th byte falls on every place inside
 * a character.
 */
export const straddlingText: Arbitrary<string> = record({
  shift: nat(3),
  character: wide,
  characters: integer({ min: 300, max: 900 }),
}).map(
  ({ shift, character, characters }) => `${'>'.repeat(shift)}#${character.repeat(characters)}`,
);

const words = numberedWords(2_000);

/** Long bodies that are no numbered words alone: pages, traces, cut JSON, and JSON without a text that could be a message. */
export const longPages = [
  `<!doctype html><title>400</title><pre>${words}</pre>`,
  `Traceback:\n${words.replaceAll(' ', '\n')}`,
  `[{"failed": [${JSON.stringify(words)}, `,
  JSON.stringify({ failed: Array.from({ length: 400 }, (_, at) => 1_000 + at) }),
];
