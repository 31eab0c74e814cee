/** The filters of the two collections: the values to try, and what they select. */

import { freeTextLength, statusFilters } from '../../../schemas/compute/list-instances.ts';
import { BEFORE_ALL } from '../../../harness/checks/collection/window.ts';
import { instant } from '../../../harness/drivers/collection/dating.ts';
import { boundedSubset, conclusiveSpan } from '../../../harness/drivers/collection/instances.ts';
import type { ListQuery } from '../../../harness/drivers/collection/reading.ts';
import {
  byOffers,
  codesIn,
  cutNames,
  distinctTexts,
  mostShared,
  nearNames,
  noModels,
} from '../../../harness/checks/collection/chosen-values.ts';
import { presetValue } from '../../../harness/checks/compute/presets.ts';
import { textOf, type WireRecord } from '../../../harness/checks/compute/records.ts';
import type {
  Beside,
  Context,
  Filter,
  FilterValue,
  Id,
} from '../../../harness/drivers/collection/collection.ts';
import { presetSortFields } from '../../../schemas/compute/presets.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import { unknownRegions } from '../../../harness/generate/lists.ts';

/** Number of values of one field to try: a filter may fail for only one of them. */
const TRIED_VALUES = 20;
/** Filter values that records show unchanged. */
function tried(id: Id, values: readonly string[]): readonly FilterValue[] {
  return values.slice(0, TRIED_VALUES).map((value) => ({ value, shown: value, id }));
}

export const instanceFilters: readonly Filter[] = [
  {
    name: 'status',
    parameter: () => 'status',
    member: 'status',
    ids: [
      'compute.list-instances.status-running',
      'compute.list-instances.status-stopped',
      'compute.list-instances.status-terminated',
      'compute.list-instances.status-errored',
    ],
    values: () =>
      (['running', 'stopped', 'terminated', 'errored'] as const).map((value) => ({
        value,
        shown: statusFilters[value],
        id: `compute.list-instances.status-${value}` as const,
        mustBeComplete: value !== 'terminated',
      })),
    disjoint: 'compute.list-instances.status-disjoint',
  },
  {
    name: 'region',
    parameter: () => 'region',
    member: 'region',
    ids: ['compute.list-instances.region-filter'],
    values: (_, records) =>
      tried('compute.list-instances.region-filter', codesIn(distinctTexts(records, 'region'))),
    disjoint: 'compute.list-instances.region-disjoint',
    absent: [
      {
        id: 'compute.list-instances.region-unknown-empty',
        what: 'none',
        values: () => unknownRegions,
        answers: { id: 'compute.list-instances.region-unknown-accepted', statuses: [200] },
      },
    ],
  },
  {
    name: 'GPU model',
    parameter: () => 'gpu_type',
    member: 'gpu_type',
    ids: ['compute.list-instances.gpu-type-filter'],
    values: (_, records) =>
      tried('compute.list-instances.gpu-type-filter', distinctTexts(records, 'gpu_type')),
    disjoint: 'compute.list-instances.gpu-type-disjoint',
    absent: [
      {
        id: 'compute.list-instances.gpu-type-unknown',
        what: 'nowhere',
        values: (_, records) => noModels(distinctTexts(records, 'gpu_type')),
        // The server may reject an unknown model.
        answers: { id: 'compute.list-instances.gpu-type-unknown-answer', statuses: [200, 400] },
      },
    ],
  },
];

function namesOf(
  { bindings }: Context,
  presets: readonly WireRecord[],
  field: 'sku' | 'gpu' | 'location',
): readonly string[] {
  return presets
    .map((preset) => textOf({ name: presetValue(preset, field, bindings) }, 'name') ?? '')
    .filter((name) => name !== '');
}

function skusOf(t: Context, presets: readonly WireRecord[]): readonly string[] {
  return namesOf(t, presets, 'sku');
}

/** A GPU model and a location that are no SKU name in any case. */
function namesOfOthers(t: Context, presets: readonly WireRecord[]): readonly string[] {
  const skus = new Set(skusOf(t, presets).map((sku) => sku.toLowerCase()));
  return (['gpu', 'location'] as const).flatMap((field) =>
    namesOf(t, presets, field)
      .filter((name) => !skus.has(name.trim().toLowerCase()))
      .slice(0, 1),
  );
}

export const presetFilters: readonly Filter[] = [
  {
    name: 'region',
    parameter: () => 'region',
    member: 'region',
    ids: ['compute.presets.region-uae', 'compute.presets.region-fr', 'compute.presets.region-us'],
    values: () => [
      { value: 'UAE', shown: 'UAE', id: 'compute.presets.region-uae' },
      { value: 'FR', shown: 'FR', id: 'compute.presets.region-fr' },
      { value: 'US', shown: 'US', id: 'compute.presets.region-us' },
    ],
  },
  {
    name: 'SKU',
    parameter: ({ bindings }) => bindings.presets?.filters?.sku,
    member: 'sku',
    ids: ['compute.presets.sku-exact'],
    values: (t, records) => tried('compute.presets.sku-exact', byOffers(skusOf(t, records))),
    absent: [
      {
        id: 'compute.presets.sku-part',
        what: 'a part of one or another name',
        values: (t, records) => [
          ...cutNames([...new Set(skusOf(t, records))]),
          ...namesOfOthers(t, records),
        ],
      },
      {
        id: 'compute.presets.sku-case',
        what: 'nearly one',
        values: (t, records) => nearNames([...new Set(skusOf(t, records))]),
      },
    ],
  },
  {
    name: 'location without a region',
    parameter: () => 'region',
    member: 'location',
    ids: ['compute.presets.region-unmapped-location'],
    values: ({ bindings }) =>
      tried('compute.presets.region-unmapped-location', bindings.locations?.unmapped ?? []),
  },
];

/** Values for each bound of a date window; each value excludes a part of the account. */
export async function windowBounds(t: Context): Promise<readonly (readonly ListQuery[])[]> {
  const { from, to } = await conclusiveSpan(t);
  const shown = await boundedSubset(t);
  // For an account that is too large to read, a window may only narrow its newest part.
  const first = Math.max(from, Date.parse(String(shown['date_range_begin'] ?? '')) || from);
  const at = (share: number): string =>
    instant(Math.floor(first + share * Math.max(0, to - first)));
  return [
    [1 / 2, 1 / 3].map((share) => ({ date_range_begin: at(share) })),
    [1 / 2, 2 / 3].map((share) => ({ date_range_end: at(share) })),
  ];
}

/** Searches for a GPU model and for a region: a model filter excludes items only from the results of the latter. */
export function searches(records: readonly WireRecord[]): readonly ListQuery[] {
  return (['gpu_type', 'region'] as const)
    .flatMap((field) => distinctTexts(records, field).slice(0, 1))
    .map((text) => ({ free_text_search: text.slice(0, freeTextLength) }));
}

/** Bounds that exclude nothing; a difference shows that they made the server forget another parameter. */
const ever = {
  date_range_begin: instant(BEFORE_ALL),
  date_range_end: instant(Date.UTC(2100, 0, 1)),
} as const;

export const instanceBeside: Beside = {
  overPages: [ever],
  searchesOverPages: (records) => [
    { status: 'running' },
    mostShared(records, ['gpu_type']).values,
    { region: 'US' },
    { sort_field: 'NAME', sort_direction: 'ASC' },
  ],
};

/** Number of preset sorts to combine with filters, in a quick and in a standard run. */
const SORTS = [1, 3] as const;

export const presetBeside: Beside = {
  overPages: [{ sort_field: 'HOURLY_PRICE' }, { sort_field: 'ID', sort_direction: 'DESC' }],
  searchesOverPages: () => [{ sort_field: 'ID' }, { region: 'US', sort_field: 'HOURLY_PRICE' }],
};

/** Queries to combine with preset filters: sorts, the other filters, and searches for a name, a model and a location. */
export function queriesOfPresets(t: Context, presets: readonly WireRecord[]): readonly ListQuery[] {
  const { sku, freeText } = t.bindings.presets?.filters ?? {};
  const places = t.bindings.locations?.unmapped ?? [];
  const isMapped = (preset: WireRecord) =>
    places.every((place) => presetValue(preset, 'location', t.bindings) !== place);
  const mapped = skusOf(t, presets.filter(isMapped));
  const unmapped = skusOf(
    t,
    presets.filter((preset) => !isMapped(preset)),
  );
  // The name with the most offers, and one with offers both inside and outside a region.
  const names = [
    ...byOffers(skusOf(t, presets)).slice(0, 1),
    ...unmapped.filter((name) => mapped.includes(name)).slice(0, 1),
  ];
  // A model that is offered under several names.
  const models = new Map<string, Set<unknown>>();
  for (const preset of presets) {
    const model = presetValue(preset, 'gpu', t.bindings);
    if (typeof model !== 'string' || model === '' || model.length > freeTextLength) continue;
    const under = models.get(model) ?? new Set();
    models.set(model, under.add(presetValue(preset, 'sku', t.bindings)));
  }
  const [most] = [...models].toSorted(([, one], [, other]) => other.size - one.size);
  // All offers of a name are found by the name and by its model; a location parts them.
  const location = namesOf(t, presets, 'location').find((name) => name.length <= freeTextLength);
  const texts = [names[0], most?.[0], location].filter((text) => text !== undefined);
  return [
    ...t.some(Object.keys(presetSortFields), ...SORTS).map((sort_field) => ({ sort_field })),
    { sort_direction: 'DESC' },
    ...(sku === undefined ? [] : names.map((name) => ({ [sku]: name }))),
    ...(freeText === undefined ? [] : texts.map((text) => ({ [freeText]: text }))),
    ...regionCodes.slice(0, 1).map((region) => ({ region })),
  ];
}
