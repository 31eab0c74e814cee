/** Which member of a preset is which: by name and kind of value, and only where one stands out. */

import type { PresetField } from '../../../schemas/compute/target.ts';
import { leavesOf, shortest } from './places.ts';

interface Trait {
  /** Names from the most to the least telling; the last part of a path is compared. */
  readonly names: readonly RegExp[];
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isKey = (value: unknown): boolean => isText(value) || isNumber(value);
const codes = new Set<unknown>(['UAE', 'FR', 'US']);

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

const fields: readonly PresetField[] = [
  'id',
  'sku',
  'region',
  'location',
  'gpu',
  'gpuCount',
  'cpu',
  'memory',
  'storage',
  'price',
];

/** A member for a field, or those between which nothing decides. */
export type FoundMember = { readonly member: string } | { readonly candidates: readonly string[] };

/** What each field of a preset is called in these presets. */
export function presetMembers(presets: readonly unknown[]): ReadonlyMap<PresetField, FoundMember> {
  const values = new Map<string, unknown[]>();
  for (const preset of presets) {
    for (const { path, value } of leavesOf(preset)) {
      values.set(path, [...(values.get(path) ?? []), value]);
    }
  }
  // Members of lists inside a preset are no field of its own.
  const places = [...values].filter(([path]) => !path.includes('[*]'));
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
