/** Ids that nobody has: of requests, instances, models and keys. */

import {
  type Arbitrary,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  string,
  tuple,
} from 'fast-check';

export const GOOD_UUID = '3f0c8a52-6d1e-4b7a-9c35-2e8f1d904b6c';

/** Trace contexts that a client may send: a proper one, one of a later version, and some that are none. */
export const foreignTraces = [
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
  'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'not a trace',
] as const;

/** Ids that are nearly a UUID, or nothing like one. */
export const foreignIds: readonly string[] = [
  '1',
  'plumbline',
  GOOD_UUID.slice(1),
  `${GOOD_UUID}0`,
  `{${GOOD_UUID}}`,
  `urn:uuid:${GOOD_UUID}`,
  `${GOOD_UUID}, ${GOOD_UUID}`,
  GOOD_UUID.replaceAll('-', ''),
  GOOD_UUID.replace('3', 'g'),
  'x'.repeat(300),
  '"quoted"',
];

/** Printable ASCII without blanks at the ends, which a header does not keep. */
export const foreignId: Arbitrary<string> = string({
  unit: constantFrom('a', 'f', '0', '9', '-', '_', '.', ':'),
  minLength: 1,
  maxLength: 40,
});

/** Characters without hexadecimal digits, and without those that a server or proxy may read as part of a path. */
const inPaths = Array.from('ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_~!$()*+,=:@\'" é✓');

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
    string({ unit: constantFrom(...inPaths), minLength: 1, maxLength: 60 }).filter(
      (text) => text.trim() !== '',
    ),
  );
}

/** Ids that text in JSON, a format or a log could stumble over, and one that names an owner. */
export const oddModelNames: readonly string[] = [
  '-"quoted"',
  '-\\back',
  '-größe',
  '-世界🚀',
  '-{0}',
  '-%s',
  "-it's",
  '/owned',
].map((shape) => `plumbline-nobody${shape}`);

const shapes = ['', '-v1', '.Q4_K_M', ':latest', '@main', '_base'];

/** At most 200 ASCII characters without a slash, which paths would take apart. */
export const unknownModelId: Arbitrary<string> = tuple(
  string({
    unit: constantFrom('a', 'b', 'X', 'Y', '0', '9', '-', '_', '.'),
    minLength: 8,
    maxLength: 150,
  }),
  constantFrom(...shapes),
).map(([name, shape]) => `plumbline-nobody-${name}${shape}`);

/** The same for request bodies, where many ids name an owner before a slash. */
export const unknownModelName: Arbitrary<string> = oneof(
  unknownModelId,
  unknownModelId.map((id) => `plumbline/${id}`),
);

/** Ids that are not `id` and would be by a careless comparison. */
export function nearlyTheSame(id: string): readonly string[] {
  const otherCase = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
  return [
    otherCase,
    // The beginning of an id, as command lines take it.
    id.slice(0, -1),
    `${id}:latest`,
    `${id}-plumbline`,
    `${id}/plumbline`,
    `plumbline-${id}`,
    `plumbline/${id}`,
    ` ${id}`,
    `${id} `,
  ].filter((near) => near !== id && near !== '');
}

/** 30 to 2,000 characters, mostly near `bound`. */
export function modelIdLength(bound: number): Arbitrary<number> {
  return oneof(
    { weight: 3, arbitrary: integer({ min: bound - 3, max: bound + 3 }) },
    { weight: 2, arbitrary: integer({ min: 30, max: 2_000 }) },
    { weight: 1, arbitrary: constantFrom(128, 255, 257, 512, 1_024) },
  );
}

/** An id that nobody registers, of exactly this many ASCII characters, 30 at least. */
export function unknownIdOf(length: number): string {
  return 'plumbline-nobody-registers-it-'
    .padEnd(length, 'abcdefghij-KLMNOP_0123.456')
    .slice(0, length);
}

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
export const exampleAlterations: readonly Alteration[] = [
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
