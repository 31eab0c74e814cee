/** Query strings that are no plain `name=value`: broken escapes, lists, repeats, missing parts. */

import { type Arbitrary, array, constantFrom, oneof, tuple } from 'fast-check';
import { oddText } from './odd-text.ts';

/** Values as they stand in the URL, not escaped by us. */
const raw = constantFrom(
  '%',
  '%z',
  '%0',
  '%E0%A4',
  '%ff',
  '%C0%80',
  '%00',
  '%0d%0a',
  '+',
  '=',
  '"',
  ';',
);

function part(name: string): Arbitrary<string> {
  const escaped = oddText.map((text) => encodeURIComponent(text));
  return oneof(
    escaped.map((value) => `${name}=${value}`),
    raw.map((value) => `${name}=${value}`),
    tuple(escaped, escaped).map(([one, other]) => `${name}=${one}&${name}=${other}`),
    escaped.map((value) => `${name}[]=${value}`),
    escaped.map((value) => `${name}[a]=${value}`),
    constantFrom(name, `${name}=`, `=${name}`, `${name}==`, `&&${name}&`),
  );
}

/** Queries with one to three odd parts over these parameters. */
export function oddQuery(...names: readonly string[]): Arbitrary<string> {
  const parts = constantFrom(...names).chain(part);
  return array(parts, { minLength: 1, maxLength: 3 }).map((list) => list.join('&'));
}
