/** How the two collections filter: the values that each filter is tried with, and what they mean. */

import { statusFilters } from '../../../schemas/compute/list-instances.ts';
import {
  byOffers,
  codesIn,
  cutNames,
  distinctTexts,
  inOtherCase,
  noModels,
} from '../../../harness/checks/collection/chosen-values.ts';
import { presetValue } from '../../../harness/checks/compute/presets.ts';
import { textOf, type WireRecord } from '../../../harness/checks/compute/records.ts';
import type {
  Context,
  Filter,
  FilterValue,
  Id,
} from '../../../harness/drivers/collection/collection.ts';
import { unknownRegions } from '../../../harness/generate/lists.ts';

/** Values of one field that are tried: an item may be missing from one alone. */
const TRIED_VALUES = 20;
/** Values of a filter that records show as they are asked for. */
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
        withinFull: value !== 'terminated',
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
        // Whether it takes any model at all is its own choice.
        answers: { id: 'compute.list-instances.gpu-type-unknown-answer', statuses: [200, 400] },
      },
    ],
  },
];

function skusOf({ bindings }: Context, presets: readonly WireRecord[]): readonly string[] {
  return presets
    .map((preset) => textOf({ sku: presetValue(preset, 'sku', bindings) }, 'sku') ?? '')
    .filter((sku) => sku !== '');
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
        what: 'a part of one',
        values: (t, records) => cutNames([...new Set(skusOf(t, records))]),
      },
      {
        id: 'compute.presets.sku-case',
        what: 'in another case',
        values: (t, records) => inOtherCase([...new Set(skusOf(t, records))]),
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
