/** Ids that do not exist: of requests, instances, models and keys. */

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

/** Trace contexts that a client may send: two valid ones, one of a later version, and invalid ones. */
export const foreignTraces = [
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
  'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'not a trace',
] as const;

/** Request ids that resemble a UUID, and others that do not. */
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

/** Printable ASCII without blanks, which a header does not keep at its ends. */
export const foreignId: Arbitrary<string> = string({
  unit: constantFrom('a', 'f', '0', '9', '-', '_', '.', ':'),
  minLength: 1,
  maxLength: 40,
});

/** Characters that are neither hexadecimal digits nor read as path syntax by a server or proxy. */
const inPaths = Array.from('ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_~!$()*+,=:@\'" é✓');

/** Length of the first eight digits and the hyphen. They are kept, since they mark the id as invented. */
const KEPT = 9;

/** Texts that resemble `invented`, an id that does not exist, and words that are no id. */
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

/** Further such texts, at random. A lenient reader may take some for `invented`, which does not exist. */
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

/** Model ids that JSON, a format string or a log may garble, and one with an owner. */
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

/** Up to 200 ASCII characters without a slash, which would split a path. */
export const unknownModelId: Arbitrary<string> = tuple(
  string({
    unit: constantFrom('a', 'b', 'X', 'Y', '0', '9', '-', '_', '.'),
    minLength: 8,
    maxLength: 150,
  }),
  constantFrom(...shapes),
).map(([name, shape]) => `plumbline-nobody-${name}${shape}`);

/** The same for request bodies, where many ids have an owner before a slash. */
export const unknownModelName: Arbitrary<string> = oneof(
  unknownModelId,
  unknownModelId.map((id) => `plumbline/${id}`),
);

/** Ids that differ from `id`, but equal it in a careless comparison. */
export function nearlyTheSame(id: string): readonly string[] {
  const otherCase = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
  return [
    otherCase,
    // A prefix, as command lines accept it.
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

/** Lengths of 30 to 2,000 characters, mostly near `bound`. */
export function modelIdLength(bound: number): Arbitrary<number> {
  return oneof(
    { weight: 3, arbitrary: integer({ min: bound - 3, max: bound + 3 }) },
    { weight: 2, arbitrary: integer({ min: 30, max: 2_000 }) },
    { weight: 1, arbitrary: constantFrom(128, 255, 257, 512, 1_024) },
  );
}

/**
 * Lengths above `bound`, each with an owner and whether a stream is asked for: too long only with its owner, and short by a
 * count of 16 bits. A body limit (0: none) may be too low for the second.
 */
export function idsBeyond(bound: number, maxBytes = 0): [number, string, boolean][] {
  const long: [number, string, boolean] = [2 ** 16 + bound - 1, '', false];
  const fits = maxBytes === 0 || maxBytes > 2 * long[0];
  return [[bound + 1, 'plumbline/', false], ...(fits ? [long] : [])];
}

/** An unregistered id of exactly this many ASCII characters, at least 30. */
export function unknownIdOf(length: number): string {
  return 'plumbline-nobody-registers-it-'
    .padEnd(length, 'abcdefghij-KLMNOP_0123.456')
    .slice(0, length);
}

const alterations = [
  'replace',
  'insert',
  'remove',
  'append',
  'list',
  'switch-case',
  'quote',
] as const;

/** A change that turns any text into another one, so that a counterexample never shows the key itself. */
export interface Alteration {
  readonly kind: (typeof alterations)[number];
  /** The position as a share of the length, in thousandths. */
  readonly at: number;
}

export const alteration: Arbitrary<Alteration> = record({
  kind: constantFrom(...alterations),
  at: nat(999),
});

/** A character that no key has, so that the result is nobody's key. */
const FOREIGN = '~';
/** Without one of its characters, a shorter key could be another client's key. */
const LONG_ENOUGH = 16;
/** Digits of a number in base 16 or 32 may be read in either case, also after a prefix; a run of this many is no accident. */
const MIN_DIGITS = 16;
const NUMBERS = [/[0-9a-f-]+/giu, /[A-Z2-7]{16,}/gu, /[a-z2-7]{16,}/gu];
/** Base64 without its padding may decode to the same bytes, so the padding is removed with the character before it. */
const PADDING = '=';
const END = new RegExp(`.${PADDING}*$`, 'u');

/** The altered text; undefined when it would be the same key, another spelling of it, or possibly another client's key. */
export function altered(key: string, { kind, at }: Alteration): string | undefined {
  const index = Math.floor((at / 1_000) * key.length);
  const [before, here, after] = [key.slice(0, index), key.charAt(index), key.slice(index + 1)];
  const result = {
    replace: here === PADDING ? key : before + FOREIGN + after,
    insert: before + FOREIGN + here + after,
    remove: key.length < LONG_ENOUGH ? key : removed(key, index),
    append: key + FOREIGN,
    list: `${key},${FOREIGN}`,
    'switch-case': isDigit(key, index) ? key : before + switched(here) + after,
    quote: `"${key}"`,
  }[kind];
  return result === key ? undefined : result;
}

/** Alterations that careless comparisons overlook, each skipped where it does not make another key. */
export const exampleAlterations: readonly Alteration[] = [
  { kind: 'remove', at: 999 },
  { kind: 'replace', at: 999 },
  { kind: 'remove', at: 0 },
  { kind: 'insert', at: 0 },
  { kind: 'append', at: 0 },
  { kind: 'switch-case', at: 0 },
  { kind: 'quote', at: 0 },
  { kind: 'list', at: 0 },
];

function removed(key: string, index: number): string {
  const rest = key.replace(END, '');
  return index < rest.length ? key.slice(0, index) + key.slice(index + 1) : rest;
}

/** Whether the character is a digit of a number in base 16 or 32 that is the whole key or a long part of it. */
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
