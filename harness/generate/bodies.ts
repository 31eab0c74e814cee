/** Request bodies: broken JSON that every parser rejects, and notes of a stop or terminate. */

import { type Arbitrary, constantFrom, integer, string } from 'fast-check';

/** A change that makes a JSON object invalid. */
export interface Breakage {
  readonly name: string;
  readonly of: (json: string) => string;
}

/** What a parser that stops at the end of the object does not see. */
export const WORD_AFTER: Breakage = { name: 'a word after it', of: (json) => `${json} body` };

/** Each of these alone makes any JSON object invalid. */
export const breakages: readonly Breakage[] = [
  { name: 'no braces', of: (json) => json.slice(1, -1) },
  { name: 'single quotes', of: (json) => json.replaceAll('"', "'") },
  { name: 'no colons', of: (json) => json.replaceAll('":', '" ') },
  { name: 'closed with a bracket', of: (json) => `${json.slice(0, -1)}]` },
  { name: 'a comma at its end', of: (json) => `${json.slice(0, -1)},}` },
  { name: 'a comment in it', of: (json) => `{/* body */${json.slice(1)}` },
  { name: 'a word before it', of: (json) => `body ${json}` },
  WORD_AFTER,
  { name: 'closed twice', of: (json) => `${json}}` },
  { name: 'form data', of: (json) => `body=${encodeURIComponent(json)}` },
  { name: 'nothing but white space', of: () => ' \r\n\t ' },
  { name: 'a stream that is cut off', of: (json) => `${json.slice(0, -1)},"stream":true` },
  {
    name: 'longer than a buffer, and cut off',
    of: (json) => `${json.slice(0, -1)},"user":"${'x'.repeat(9_000)}"`,
  },
  { name: 'a number that is none', of: (json) => `${json.slice(0, -1)},"top_p":NaN}` },
  { name: 'a line that ends in a text', of: (json) => `${json.slice(0, -1)},"user":"one\ntwo"}` },
];

/** Cuts the text somewhere before its end, which leaves its braces unbalanced. */
export const truncation: Arbitrary<Breakage> = integer({ min: 1, max: 999 }).map((share) => ({
  name: `cut at ${share} ‰`,
  of: (json) => json.slice(0, Math.max(1, Math.floor((share / 1_000) * json.length))),
}));

/** Longest note in characters (compute#limits/reason-note). */
export const LONGEST_NOTE = 10_000;

/** A note of this many ASCII characters. */
export function noteOf(characters: number): string {
  return 'n'.repeat(characters);
}

/** Notes that careless readers break: newlines and tabs, quotes and escapes, other scripts, and a long text. */
export const exampleNotes: readonly string[] = [
  'first line\n\tsecond line',
  '"quoted" \\ and \'so\', </b> %00 ; --',
  'é ß 漢字 🙂 אב',
  noteOf(7_500),
];

const units = [
  ...Array.from('abcXYZ 019.,;:!?-_/%&<>[]{}()|~^`$#@*+='),
  '"',
  '\\',
  '\n',
  '\t',
  "'",
  'é',
  'ß',
  '漢',
  '🙂',
];

/** Short notes with characters that JSON escapes or beyond ASCII; never blank. */
export const notes: Arbitrary<string> = string({
  unit: constantFrom(...units),
  minLength: 1,
  maxLength: 200,
}).filter((note) => note.trim() !== '');

/** Broken bodies that lenient parsers accept. Invalid UTF-8 is not among them, since most decoders replace it. */
export const brokenBodies: readonly string[] = [
  '{',
  '{"reason_note":',
  '{"reason_note":"te',
  '{"reason_note":"text"} text',
  '{"reason_note":"text"}{}',
  '{"reason_note":"text"}}',
  '{"reason_note":"text",}',
  "{'reason_note':'text'}",
  '{reason_note:"text"}',
  'reason_note=text',
];

/** Prefixes of a JSON object; none of them is JSON. */
export const cutBodies: Arbitrary<string> = string({
  unit: constantFrom(...units),
  maxLength: 20,
}).chain((note) => {
  const text = JSON.stringify({ reason_note: note });
  return integer({ min: 1, max: text.length - 1 }).map((end) => text.slice(0, end));
});
