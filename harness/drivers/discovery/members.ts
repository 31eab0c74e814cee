/** Finds the members of a body, and those that a target file would bind. */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import type { PresetField } from '../../../schemas/compute/target.ts';

/** A search for this finds nothing. */
export const NONSENSE = 'plumbline-finds-nothing';

/** The body as JSON; undefined when it is not JSON. */
export function bodyOf(exchange: Exchange): unknown {
  const body = jsonBody(exchange);
  return body.ok ? body.value : undefined;
}

/** The texts that a member has in the records of the list `data`; undefined without such a list. */
export function idsIn(exchange: Exchange, member: string): readonly string[] | undefined {
  const body = bodyOf(exchange);
  const data = isObject(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((record: unknown) => {
    const id = isObject(record) ? record[member] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

interface PlacedValue {
  /** For example `$.data[*].code`. */
  readonly path: string;
  readonly value: unknown;
}

const MAX_DEPTH = 6;

/** Every value of a body with its path, in document order, beginning with the body itself. */
function placesIn(value: unknown, path = '$', depth = 0): readonly PlacedValue[] {
  if (depth > MAX_DEPTH) return [];
  const inner = Array.isArray(value)
    ? value.map((item: unknown) => ['[*]', item] as const)
    : isObject(value)
      ? Object.entries(value).map(([name, held]) => [step(name), held] as const)
      : [];
  return [
    { path, value },
    ...inner.flatMap(([further, held]) => placesIn(held, `${path}${further}`, depth + 1)),
  ];
}

function isInList(path: string): boolean {
  return path.includes('[*]');
}

/** Every value of a body that is neither a list nor an object. */
export function leavesOf(body: unknown): readonly PlacedValue[] {
  return placesIn(body).filter(({ value }) => !Array.isArray(value) && !isObject(value));
}

/** The lists of objects in a body that are not inside another list. */
export function listsOf(body: unknown) {
  return placesIn(body).flatMap(({ path, value }) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.some(isObject) && !isInList(path) ? [{ path, items }] : [];
  });
}

/** The objects of a body that are not in a list, beginning with the body itself. */
export function objectsOf(body: unknown) {
  return placesIn(body).flatMap(({ path, value }) =>
    isObject(value) && !isInList(path) ? [{ path, object: value }] : [],
  );
}

/** A binding as people write it: a path to a direct member is its name. */
export function shortest(path: string): string {
  return /^\$\.[A-Za-z_]\w*$/u.test(path) ? path.slice(2) : path;
}

function step(name: string): string {
  return /^[A-Za-z_]\w*$/u.test(name)
    ? `.${name}`
    : `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
}

/** True for a 200 with a list in the member `data`, possibly an empty one. */
export function showsData(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  return exchange.response?.status === 200 && isObject(body) && Array.isArray(body['data']);
}

/** True for a 200 with a list anywhere in the body, for bodies of undocumented form. */
export function listsSomething(exchange: Exchange): boolean {
  return (
    exchange.response?.status === 200 &&
    placesIn(bodyOf(exchange)).some(({ value }) => Array.isArray(value))
  );
}

interface Trait {
  /** Names, the most specific first; they are compared with the last part of a path. */
  readonly names: readonly RegExp[];
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isKey = (value: unknown): boolean => isText(value) || isNumber(value);
const codes = new Set<unknown>(regionCodes);

const traits: Readonly<Record<PresetField, Trait>> = {
  id: { names: [/^(?:preset_?)?id$/iu, /^uuid$/iu], fits: isKey },
  sku: { names: [/^sku(?:_?name)?$/iu, /^(?:preset_?)?name$/iu, /sku/iu], fits: isText },
  region: {
    names: [/^region(?:_?code)?$/iu, /region/iu],
    fits: (value) => value === null || codes.has(value),
  },
  location: {
    names: [/^(?:datacenter_?)?location$/iu, /location/iu, /data_?cent(?:er|re)|^site$|^zone$/iu],
    fits: isText,
  },
  gpu: { names: [/^gpu(?:_?(?:type|model|name))?$/iu, /gpu/iu], fits: isText },
  gpuCount: {
    names: [/^gpu_?(?:count|number)$/iu, /^(?:num|number_?of)_?gpus$/iu],
    fits: isNumber,
  },
  cpu: { names: [/^v?cpus?(?:_?(?:count|cores?))?$/iu, /cpu/iu], fits: isNumber },
  memory: {
    names: [/^(?:memory|ram)(?:_?(?:gi?b|mi?b|size))*$/iu, /^(?!.*gpu).*(?:memory|(?<!v)ram)/iu],
    fits: isNumber,
  },
  storage: {
    names: [/^(?:storage|disk)(?:_?(?:gi?b|size))*$/iu, /storage|disk/iu],
    fits: isNumber,
  },
  price: {
    names: [/^(?:hourly_?(?:price|rate|cost)|price_?per_?hour|price_?hourly)$/iu, /price|hourly/iu],
    fits: isNumber,
  },
};

const fields = Object.keys(traits).filter((name): name is PresetField =>
  Object.hasOwn(traits, name),
);

/** The member for a field, or several candidates between which nothing decides. */
export type FoundMember = { readonly member: string } | { readonly candidates: readonly string[] };

/** The name of each preset field in these presets. */
export function presetMembers(presets: readonly unknown[]): ReadonlyMap<PresetField, FoundMember> {
  const values = new Map<string, unknown[]>();
  for (const preset of presets) {
    for (const { path, value } of leavesOf(preset)) {
      values.set(path, [...(values.get(path) ?? []), value]);
    }
  }
  // Members of lists inside a preset are not fields of the preset.
  const places = [...values].filter(([path]) => !isInList(path));
  const found = (field: PresetField): FoundMember => {
    const { names, fits } = traits[field];
    const fitting = places.filter(([, all]) => all.every(fits) && all.some((one) => one !== null));
    for (const name of names) {
      const named = fitting.filter(([path]) => name.test(lastPart(path)));
      const [only] = named;
      if (only !== undefined && named.length === 1) return { member: shortest(only[0]) };
      if (named.length > 1) return { candidates: named.map(([path]) => shortest(path)) };
    }
    return { candidates: [] };
  };
  return new Map(fields.map((field) => [field, found(field)]));
}

function lastPart(path: string): string {
  return /([\w-]+)(?:'\])?$/u.exec(path)?.[1] ?? path;
}
