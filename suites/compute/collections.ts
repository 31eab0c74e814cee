/** Declares the two paged collections of the contract, with their differences, for the laws of paged lists. */

import { freeTextLength, instancePageSize } from '../../schemas/compute/list-instances.ts';
import { instanceListParameters, presetListParameters } from '../../schemas/compute/wire.ts';
import { presetPageSize } from '../../schemas/compute/presets.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { accepted, answeredWith } from '../../harness/checks/compute/answers.ts';
import { idsOf, instancesOf } from '../../harness/checks/compute/records.ts';
import { withInstanceFilters, withPresetFilters } from '../../harness/generate/lists.ts';
import {
  presetContent,
  presetNames,
  presetsOf,
  presetValue,
  selectsPresets,
} from '../../harness/checks/compute/presets.ts';
import { instant, differsByTies } from '../../harness/drivers/collection/dating.ts';
import { requireItems } from '../../harness/drivers/collection/whole-list.ts';
import {
  boundedSubset,
  variedSubset,
  wholeInstances,
  wholePresets,
} from '../../harness/drivers/collection/instances.ts';
import { commonOrder, selects } from '../../harness/checks/collection/filter.ts';
import { distinctTexts } from '../../harness/checks/collection/chosen-values.ts';
import {
  readInstances,
  readPresetList,
  type Listing,
} from '../../harness/drivers/collection/reading.ts';
import { textsApart, textsElsewhere, unlike } from '../../harness/checks/collection/search.ts';
import { stableOrder } from '../../harness/checks/collection/walk.ts';
import type { Judgement } from '../../harness/checks/judgement.ts';
import { isPresetField } from '../../schemas/compute/target.ts';
import { instanceBeside, presetBeside, instanceFilters, presetFilters } from './laws/filtering.ts';
import { besidePresets, instanceSorting, presetSorting } from './laws/sorting.ts';
import {
  type Collection,
  type Context,
  textsOf,
} from '../../harness/drivers/collection/collection.ts';

/** Invalid page sizes; the overflowing ones wrap around in 32 or 64 bits. */
const sizes = {
  'size-zero': [{ size: '0' }],
  'size-negative': [{ size: '-1' }, { size: '-200' }],
  'size-above-maximum': [{ size: '201' }, { size: '257' }, { size: '1000' }],
  'size-overflow': [
    { size: '2147483648' },
    { size: '4294967297' },
    { size: '9223372036854775808' },
    { size: '18446744073709551617' },
  ],
  'size-fraction': [{ size: '1.5' }],
  'size-not-a-number': ['abc', '10abc', 'all', 'true', 'NaN', 'Infinity'].map((size) => ({ size })),
} as const;

/** Searches that are too long in every unit of length, some outside ASCII; a proxy may reject even longer URLs. */
const tooLong = [
  'q'.repeat(freeTextLength + 1),
  'ß'.repeat(freeTextLength + 1),
  'q'.repeat(6 * freeTextLength),
];

/** `GET /instances`: newest first. */
export const instances: Collection = {
  slug: 'list-instances',
  paging: 'pagination',
  call: 'list',
  what: 'instances',
  size: instancePageSize,
  answers: {
    id: 'compute.list-instances.answers-200',
    judge: (answer, what) => answeredWith(answer, 200, what),
  },
  defaultDirection: 'DESC',
  read: async (t, query, options) => readInstances(t.api, query, options),
  part: boundedSubset,
  varied: variedSubset,
  itemsIn: (_, page) => instancesOf(page),
  namesOf: (_, records) => idsOf(records),
  valueOf: (_, record, member) => record[member],
  // The contract does not say whether lists and searches show terminated instances.
  mayHide: (record) => record['status'] === 'TERMINATED',
  withFilters: (_, query) => withInstanceFilters(query),
  parameters: () => instanceListParameters,
  refused: () => ({
    ...sizes,
    // Two values at once, and words that other services know.
    'status-unknown': [
      'no-such-state',
      'runningx',
      'running,stopped',
      'all',
      'active',
      'error',
    ].map((status) => ({ status })),
    'status-upper-case': [{ status: 'RUNNING' }],
    'status-not-offered': ['stopping', 'created', 'deployed', 'starting', 'terminating'].map(
      (status) => ({ status }),
    ),
    // All date parsers reject these; they disagree on the 30th of February and on leap seconds.
    'date-invalid': [
      { date_range_begin: 'not-a-date' },
      { date_range_end: 'not-a-date' },
      { date_range_begin: 'yesterday' },
      { date_range_end: 'now' },
      { date_range_begin: '2026-13-01T00:00:00Z' },
      { date_range_begin: '2026-01-00T00:00:00Z' },
      { date_range_begin: '2026-01-01T00:00:61Z' },
      { date_range_end: '2026-00-10T00:00:00Z' },
      { date_range_end: '2026-01-01T25:00:00Z' },
      { date_range_end: '2026-01-01T00:60:00Z' },
      { date_range_end: '2026-01-01T00:00:00+99:00' },
    ],
    'date-timestamp': [{ date_range_begin: '1700000000' }],
    // Sort fields of presets, and members of instances that are no sort fields.
    'sort-field-unknown': [
      'NO_SUCH_FIELD',
      'HOURLY_PRICE',
      'CPU',
      'GPU',
      'LOCATION',
      '-NAME',
      'NAME,STATUS',
      'CREATED_AT',
      'STARTED_AT',
      'TOTAL_COST_INCURRED',
      'INSTANCE_ID',
    ].map((sort_field) => ({ sort_field })),
    'sort-direction-unknown': [
      { sort_field: 'NAME', sort_direction: 'SIDEWAYS' },
      { sort_field: 'HOURLY_RATE', sort_direction: 'ASCENDING' },
      { sort_field: 'STATUS', sort_direction: 'UP' },
      { sort_field: 'REGION', sort_direction: '-1' },
    ],
    'free-text-too-long': tooLong.map((free_text_search) => ({ free_text_search })),
  }),
  filters: instanceFilters,
  selects,
  filteredOrder: 'compute.list-instances.newest-first-filtered',
  isTied: async (t, whole, part) => {
    const { expected, actual } = commonOrder({ ids: whole }, { ids: part });
    return differsByTies(t.api, expected, actual);
  },
  walks: {
    sizes: [
      ['compute.pagination.walk-size-1', 1, 220],
      ['compute.pagination.walk-prime', 7, 35],
      ['compute.pagination.walk-199', 199, 5],
      ['compute.pagination.walk-200', 200, 5],
      ['compute.pagination.walk-default', 'default', 17],
    ],
    repeats: 'compute.pagination.walk-without-repeats',
    gaps: 'compute.pagination.walk-without-gaps',
    ends: 'compute.pagination.walk-ends',
    weight: 0.25,
    exactly: async (t) => {
      const all = await boundedSubset(t);
      // Excludes instances created from now on, so that the list keeps its length during a walk.
      const until = { ...all, date_range_end: instant(Date.now()) };
      const { records } = await requireItems(wholeInstances(t, until), 2, 'instances');
      const models = distinctTexts(records, 'gpu_type').map((gpu_type) => ({ ...until, gpu_type }));
      return [all, until, ...models];
    },
  },
  search: {
    parameter: () => 'free_text_search',
    members: ['name', 'region', 'gpu_type'],
    finds: [
      {
        member: 'name',
        id: 'compute.list-instances.free-text-full-name',
        most: 0,
        eachOf: 'status',
      },
      {
        member: 'region',
        id: 'compute.list-instances.free-text-region',
        most: 3,
        codes: regionCodes,
      },
      { member: 'gpu_type', id: 'compute.list-instances.free-text-other-members', most: 4 },
    ],
    onLaterPages: 'compute.pagination.search-on-later-pages',
    elsewhere: (_, { records, end }) => (end === 'last-page' ? textsElsewhere(records) : []),
  },
  sorting: instanceSorting,
  beside: instanceBeside,
};

/** `GET /presets`: in a stable internal order, with member names from the target file. */
export const presets: Collection = {
  slug: 'presets',
  paging: 'presets',
  call: 'presets',
  what: 'presets',
  size: presetPageSize,
  answers: { id: 'compute.presets.answers', judge: accepted },
  defaultDirection: 'ASC',
  read: async (t, query, options) => readPresetList(t.api, t.bindings, query, options),
  part: async () => ({}),
  varied: async () => ({}),
  itemsIn: (t, page) => presetsOf(page, t.bindings),
  namesOf: (t, records) => records.map((preset) => presetContent(preset, t.bindings)),
  valueOf: (t, preset, member) =>
    isPresetField(member) ? presetValue(preset, member, t.bindings) : undefined,
  mayHide: () => false,
  withFilters: (t, query) => withPresetFilters(query, t.bindings),
  parameters: ({ bindings }) => [
    ...presetListParameters,
    ...Object.values(bindings.presets?.filters ?? {}).filter((name) => name !== undefined),
  ],
  refused: ({ bindings }) => ({
    ...sizes,
    // Sort fields of instances, and other names for fields of presets.
    'sort-field-unknown': [
      'NO_SUCH_FIELD',
      'NAME',
      'STATUS',
      'HOURLY_RATE',
      'GPU_TYPE',
      'GPU,CPU',
      'PRICE',
      'SKU',
      'CREATED_AT',
    ].map((sort_field) => ({ sort_field })),
    'sort-direction-unknown': [
      { sort_field: 'HOURLY_PRICE', sort_direction: 'SIDEWAYS' },
      { sort_field: 'GPU', sort_direction: 'DESCENDING' },
      { sort_field: 'ID', sort_direction: 'UP' },
    ],
    'free-text-too-long': tooLong.map((text) => ({
      [bindings.presets?.filters?.freeText ?? '']: text,
    })),
  }),
  filters: presetFilters,
  selects: selectsPresets,
  isTied: async () => false,
  walks: {
    sizes: [
      ['compute.presets.walks-agree', 1, 80],
      ['compute.presets.walks-agree', 7, 40],
      ['compute.presets.walks-agree', 199, 5],
      ['compute.presets.walks-agree', 'default', 20],
    ],
    anyOrder: 'compute.presets.walks-agree',
    repeats: 'compute.presets.walk-without-repeats',
    weight: 0.1,
    // The last query filters by SKU name, if the target file names that filter.
    exactly: async (t) => {
      const { records } = await wholePresets(t).known();
      return [{}, ...besidePresets(t, records).slice(-1)];
    },
  },
  search: {
    parameter: ({ bindings }) => bindings.presets?.filters?.freeText,
    members: ['sku', 'gpu', 'location'],
    finds: [
      { member: 'sku', id: 'compute.presets.free-text-full-sku', most: 8 },
      { member: 'location', id: 'compute.presets.free-text-location', most: 8 },
      { member: 'gpu', id: 'compute.presets.free-text-other-members', most: 4, counted: true },
    ],
    onLaterPages: 'compute.presets.filter-on-later-pages',
    elsewhere: (t, { records, end }) => {
      const searched = ['sku', 'gpu', 'location'] as const;
      if (searched.some((field) => t.bindings.presets?.fields?.[field] === undefined)) return [];
      const known = searched.flatMap((field) => textsOf(t, presets, records, field));
      const shown = (field: string) => records.map((one) => presets.valueOf(t, one, field));
      const codes = textsApart(known, end === 'last-page' ? regionCodes : [], 1);
      return [...unlike(['id', 'memory', 'storage'].map(shown), known), ...codes];
    },
  },
  sorting: presetSorting,
  beside: presetBeside,
};

/** Judges that consecutive reads of the presets have the same order, even if presets change meanwhile. */
export function inOneOrder({ bindings }: Context, ...reads: readonly Listing[]): Judgement {
  const named = reads.map(({ records }) => presetNames(records, bindings));
  const seen = reads.map((read, index) => ({ ...read, ids: named[index] ?? read.ids }));
  return stableOrder(seen, !named.includes(undefined));
}
