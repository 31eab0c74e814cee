/** Ways to break a JSON text that no parser overlooks. */

import { type Arbitrary, integer } from 'fast-check';

/** Makes of a JSON object in text something that is no JSON. */
export interface Breakage {
  readonly name: string;
  readonly of: (json: string) => string;
}

/** Each by itself makes no JSON of any object. */
export const breakages: readonly Breakage[] = [
  { name: 'no braces', of: (json) => json.slice(1, -1) },
  { name: 'single quotes', of: (json) => json.replaceAll('"', "'") },
  { name: 'no colons', of: (json) => json.replaceAll('":', '" ') },
  { name: 'closed with a bracket', of: (json) => `${json.slice(0, -1)}]` },
  { name: 'a comma at its end', of: (json) => `${json.slice(0, -1)},}` },
  { name: 'a comment in it', of: (json) => `{/* body */${json.slice(1)}` },
  { name: 'a word before it', of: (json) => `body ${json}` },
  { name: 'a word after it', of: (json) => `${json} body` },
  { name: 'closed twice', of: (json) => `${json}}` },
  { name: 'form data', of: (json) => `body=${encodeURIComponent(json)}` },
  { name: 'XML', of: (json) => `<request>${json}</request>` },
];

/** Cuts the text somewhere before its end, which leaves its braces unbalanced. */
export const truncation: Arbitrary<Breakage> = integer({ min: 1, max: 999 }).map((share) => ({
  name: `cut at ${share} ‰`,
  of: (json) => json.slice(0, Math.max(1, Math.floor((share / 1_000) * json.length))),
}));
