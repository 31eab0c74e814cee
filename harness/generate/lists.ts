/** Queries of paged lists: sizes, odd values, valid values beside others, and instants. */

import {
  type Arbitrary,
  array,
  bigInt,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  string,
  tuple,
} from 'fast-check';
import type { ComputeBindings } from '../../schemas/compute/target.ts';

/** A size that the server must accept. */
export function servedSize(bounds: {
  readonly minimum: number;
  readonly maximum: number;
}): Arbitrary<number> {
  return integer({ min: bounds.minimum, max: bounds.maximum });
}

/** A whole number above a bound in decimal digits, often just above it or beyond 32 or 64 bits. */
export function sizeAbove(maximum: number): Arbitrary<string> {
  const beyond = (bits: bigint) =>
    bigInt({ min: 2n ** bits, max: 2n ** bits + 1_000n }).map(String);
  return oneof(
    integer({ min: maximum + 1, max: maximum + 100 }).map(String),
    integer({ min: maximum + 1, max: 2 ** 31 - 1 }).map(String),
    beyond(31n),
    beyond(32n),
    beyond(63n),
    beyond(64n),
  );
}

/** A whole number below zero. */
export const negativeSize: Arbitrary<string> = oneof(
  integer({ min: -300, max: -1 }).map(String),
  integer({ min: -(2 ** 31), max: -1 }).map(String),
);

/** Texts that are known to break servers. The first is always tried. */
export const oddTexts: readonly string[] = [
  'é',
  '',
  ' ',
  "'",
  '"',
  '\\',
  '%',
  '%00',
  '%%',
  '\u0000',
  '\r\n',
  '\t',
  '../..',
  "' OR '1'='1",
  '<script>',
  '${7*7}',
  '{"$gt":""}',
  '[]',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '9223372036854775808',
  '‮',
  '日本語',
  '👩‍🚀',
];

/** Characters in the longest text: few enough that web servers do not refuse the URL. */
const LONGEST = 2_000;

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any character but surrogates. The unit `binary` of fast-check takes a second to prepare in each process. */
const character = nat(0x10ffff - SURROGATES.count).map((index) =>
  String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
);

/** Any well-formed Unicode text: surrogates cannot be escaped for a URL. */
export const oddText: Arbitrary<string> = oneof(
  string({ unit: character, maxLength: 40 }),
  string({ unit: 'binary-ascii', maxLength: 40 }),
  nat(LONGEST).map((length) => 'x'.repeat(length)),
);

/** Values that are put into the URL without escaping. */
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

/** All divisions of things into two halves, in turn: any two of six are together in four of ten. Up to three stay together. */
export function halvesOf<T>(things: readonly T[]): readonly (readonly T[])[] {
  if (things.length < 4) return [things];
  const size = Math.ceil(things.length / 2);
  const subsets = things.reduce<readonly (readonly T[])[]>(
    (found, thing) => found.flatMap((subset) => [subset, [...subset, thing]]),
    [[]],
  );
  return subsets
    .filter((subset) => subset.length === size && subset.some((thing) => thing === things[0]))
    .flatMap((half) => [half, things.filter((thing) => !half.includes(thing))]);
}

type Query = Readonly<Record<string, string>>;

const besideInstances: Query = {
  status: 'running',
  region: 'US',
  gpu_type: 'H100',
  date_range_begin: '2020-01-01T00:00:00Z',
  date_range_end: '2090-01-01T00:00:00Z',
  free_text_search: 'a',
  sort_field: 'NAME',
  sort_direction: 'ASC',
};

/** A query for the instance list, with valid values for all parameters that it lacks. */
export function withInstanceFilters<Q extends Query>(query: Q): Query & Q {
  return { ...besideInstances, ...query };
}

/** The same for presets, as far as bindings name the parameters. */
export function withPresetFilters<Q extends Query>(
  query: Q,
  { presets }: ComputeBindings,
): Query & Q {
  const { sku, freeText } = presets?.filters ?? {};
  return {
    region: 'US',
    ...(sku === undefined ? {} : { [sku]: 'h100' }),
    ...(freeText === undefined ? {} : { [freeText]: 'a' }),
    sort_field: 'ID',
    sort_direction: 'ASC',
    ...query,
  };
}

/** A text without special characters. */
export const unknownRegion = 'NOWHERE';

const LONG = 60;

/** Services may refuse long texts, or fail on characters with a meaning in databases and patterns. */
export const unknownRegions: readonly string[] = [
  unknownRegion,
  'no such-place-1',
  // A prefix of two codes.
  'U',
  'ALL',
  'EU',
  // Two codes at once, a wildcard, and what may be read as no region.
  'FR,US',
  '*',
  'null',
  'q'.repeat(LONG),
  'no\'w"h%re-ü',
];

/** Two instants of a span in milliseconds, the earlier one first; often its middle, which tells most. */
export function instants(from: number, to: number): Arbitrary<readonly [number, number]> {
  const middle = Math.floor((from + to) / 2);
  const one = oneof(
    constant(middle),
    integer({ min: Math.ceil(from), max: Math.max(Math.ceil(from), Math.floor(to)) }),
  );
  return tuple(one, one).map(([a, b]): readonly [number, number] => (a <= b ? [a, b] : [b, a]));
}
