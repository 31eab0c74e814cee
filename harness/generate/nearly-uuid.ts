/** Path ids that are no UUIDs. */

import { type Arbitrary, constantFrom, integer, oneof, string } from 'fast-check';

/** Characters without hexadecimal digits, and without those that a server or proxy may read as part of a path. */
const harmless = Array.from('ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_~!$()*+,=:@\'" é✓');

/** Where the first eight digits end: they stay, for they show the door that the id is an invented one. */
const KEPT = 9;

/** Ids that resemble `invented`, an id that exists nowhere, and words that are nothing like an id. */
export function almostUuids(invented: string): readonly string[] {
  return [
    `{${invented}}`,
    `${invented}0`,
    `${invented}${invented}`,
    `${invented} `,
    invented.replaceAll('-', ''),
    invented.replaceAll('-', '_'),
    invented.slice(0, -1),
    '0',
    '-1',
    'null',
    'undefined',
    'not-a-uuid',
    "' or 1=1",
  ];
}

/** Any others. A lenient reader may take some for the invented one: it finds nothing then. */
export function nearlyUuids(invented: string): Arbitrary<string> {
  const place = integer({ min: KEPT, max: invented.length - 1 });
  return oneof(
    place.map((at) => invented.slice(0, at)),
    place.map((at) => `${invented.slice(0, at)}g${invented.slice(at + 1)}`),
    place.map((at) => `${invented.slice(0, at)}-${invented.slice(at)}`),
    string({ unit: constantFrom(...harmless), minLength: 1, maxLength: 60 }).filter(
      (text) => text.trim() !== '',
    ),
  );
}
