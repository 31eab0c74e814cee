/** Texts of engines: with context wording, without it, and raw text that is not JSON. */

import {
  type Arbitrary,
  array,
  boolean,
  constantFrom,
  integer,
  nat,
  record,
  tuple,
} from 'fast-check';

const harmless = [
  'temperature',
  'must',
  'be',
  'between',
  '0 and 2',
  'unsupported',
  'value',
  'for',
  '`top_p`',
  'role',
  'größer',
  '値',
  '(code 7)',
  '"tools"',
  '<b>',
  '50%',
  '\\n',
  '🚧',
];

/** One to eight words without context wording. */
export const plainText: Arbitrary<string> = array(constantFrom(...harmless), {
  minLength: 1,
  maxLength: 8,
}).map((list) => list.join(' '));

/** A word in any mixture of upper and lower case. */
function anyCase(word: string): Arbitrary<string> {
  const upper = array(boolean(), { minLength: word.length, maxLength: word.length });
  return upper.map((flags) =>
    Array.from(word, (letter, at) => (flags[at] === true ? letter.toUpperCase() : letter)).join(''),
  );
}

/** Text between the two words: no more than one sentence, since it is open how far into a raw body a router looks. */
const gaps = [
  ' ',
  '\n',
  '-',
  ' exceeds the ',
  ': ',
  ' (',
  '\t',
  '/',
  ' is less than what this request came to, which is the ',
];
const companions = ['length', 'window', 'token', 'lengths', 'windows', 'tokens'];

/** The wording with each of the gaps, alternating in companion and order. */
export const contextWordings: readonly string[] = gaps.map((gap, turn) => {
  const companion = companions[turn % companions.length] ?? '';
  return turn % 2 > 0 ? `context${gap}${companion}` : `${companion}${gap}context`;
});

/** Short texts with the wording in whole words. */
export const contextWording: Arbitrary<string> = tuple(
  anyCase('context'),
  constantFrom(...companions).chain(anyCase),
  boolean(),
  constantFrom(...gaps),
  plainText.filter((text) => text.length < 40),
  boolean(),
).map(([subject, companion, subjectFirst, gap, padding, paddingFirst]) => {
  const wording = subjectFirst ? subject + gap + companion : companion + gap + subject;
  return paddingFirst ? `${padding} ${wording}` : `${wording} ${padding}`;
});

/** Numbered words of at least this many ASCII bytes: no prefix of the text is repeated in it. */
export function numberedWords(bytes: number): string {
  const words = ['engine said:'];
  let length = 12;
  for (let at = 0; length < bytes; at += 1) {
    words.push(String(at));
    length += 1 + String(at).length;
  }
  return words.join(' ');
}

/** Raw text of 12 to 200 ASCII bytes, below the limit of 512. */
export const shortRawText: Arbitrary<string> = integer({ min: 12, max: 200 }).map((bytes) =>
  numberedWords(bytes).slice(0, bytes),
);

export const longRawText: Arbitrary<string> = integer({ min: 513, max: 3_000 }).map((bytes) =>
  numberedWords(bytes),
);

/** Characters of two, three and four bytes in UTF-8. */
const wide = constantFrom('é', 'ß', '界', '€', '🚀', '𝔘');

/** Wide characters after zero to three ASCII bytes, so that the 512th byte is at any position inside a character. */
export const straddlingText: Arbitrary<string> = record({
  shift: nat(3),
  character: wide,
  characters: integer({ min: 300, max: 900 }),
}).map(
  ({ shift, character, characters }) => `${'>'.repeat(shift)}#${character.repeat(characters)}`,
);

const longText = numberedWords(2_000);

/** Long bodies other than plain words: pages, traces, cut JSON, and JSON without a text that could be a message. */
export const longPages = [
  `<!doctype html><title>400</title><pre>${longText}</pre>`,
  `Traceback:\n${longText.replaceAll(' ', '\n')}`,
  `[{"failed": [${JSON.stringify(longText)}, `,
  JSON.stringify({ failed: Array.from({ length: 400 }, (_, at) => 1_000 + at) }),
  JSON.stringify({ error: { failed: Array.from({ length: 400 }, (_, at) => 1_000 + at) } }),
];
