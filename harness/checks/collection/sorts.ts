/** The sort keys of instances and presets. */

import type { instanceSortFields } from '../../../schemas/compute/list-instances.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import type { WireRecord } from '../compute/records.ts';
import {
  bySomeOrder,
  compareAmounts,
  type CompareKeys,
  compareNumbers,
  compareTexts,
  regionOrders,
} from './sort-keys.ts';
import {
  inOrder,
  opposite,
  oppositeBySize,
  someOrder,
  type SortDirection,
  type SortedList,
  stepOfKeys,
} from './order.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { presetSortFields } from '../../../schemas/compute/presets.ts';
import { isObject, canonicalJson } from '../../exchange/body.ts';
import { presetValue, withoutCount } from '../compute/presets.ts';
import type { Part } from './bracket.ts';

export type InstanceSort = keyof typeof instanceSortFields;

/** The same list, sorted in both directions. */
export interface Directions {
  readonly up: Part;
  readonly down: Part;
}

/** Costs change while a page is made: a difference of up to a hundredth of a credit counts as equal. */
export const COST_GRAIN = 0.01;

const compareCosts: CompareKeys = (left, right) =>
  typeof left === 'number' && typeof right === 'number' && Math.abs(left - right) <= COST_GRAIN
    ? 0
    : compareNumbers(left, right);

/** Sorts whose order can be judged from one list: the member with the key, and the possible orders of keys. */
const orderedSorts = {
  NAME: ['name', [compareTexts]],
  REGION: ['region', regionOrders],
  HOURLY_RATE: ['hourly_rate', [compareNumbers]],
  CURRENT_COST: ['current_cost', [compareCosts]],
} as const satisfies Partial<Record<InstanceSort, readonly [string, readonly CompareKeys[]]>>;

/** A list with the sort key of each item. */
export function sortedBy(
  { ids, records, exchanges }: Part,
  keyOf: (record: WireRecord, id: string) => unknown,
): SortedList {
  const items = ids.map((id, index) => ({ id, key: keyOf(records[index] ?? {}, id) }));
  return { items, exchanges };
}

/** Both directions of one sort. GPU_TYPE, SIZE and STATUS have no stated order: any consistent order passes. */
export function bothDirections(sort: InstanceSort, { up, down }: Directions): Judgement {
  const by = (key: (record: WireRecord) => unknown) =>
    [sortedBy(up, key), sortedBy(down, key)] as const;
  if (sort === 'SIZE') {
    // One of the lists may be shorter than the other.
    const shared = new Set(down.ids);
    return oppositeBySize(
      by,
      up.records.filter((_, index) => shared.has(up.ids[index] ?? '')),
    );
  }
  if (sort === 'STATUS') return showsStateOrder(...by((record) => record['status']));
  if (sort === 'GPU_TYPE') return someOrder(...by((record) => record['gpu_type']));
  const [member, orders] = orderedSorts[sort];
  const [ascending, descending] = by((record) => record[member]);
  const each = bySomeOrder<CompareKeys>(orders, (compare) =>
    together(inOrder(ascending, 'ASC', compare), inOrder(descending, 'DESC', compare)),
  );
  // Collations disagree about text beyond ASCII, but each direction must still be the reverse of the other.
  const isText = member !== 'hourly_rate' && member !== 'current_cost';
  return isText ? together(each, opposite(ascending, descending)) : each;
}

/** A sort by state separates at least running from terminated instances; everything else about its order is open. */
function showsStateOrder(up: SortedList, down: SortedList): Judgement {
  const stepOf = stepOfKeys(up.items, down.items);
  const [running, ended] = [stepOf.get('RUNNING'), stepOf.get('TERMINATED')];
  if (running === undefined || ended === undefined) return notObserved;
  return expectThat(
    running !== ended,
    'A sort by state mixes what runs with what is terminated.',
    { expected: 'one before the other', actual: [...stepOf.keys()].map(String).join(', ') },
    ...up.exchanges,
    ...down.exchanges,
  );
}

export type PresetSort = keyof typeof presetSortFields;

type Directed = readonly [SortDirection, SortedList];

/** One way to sort: the key of a preset, and the check of lists that are sorted by it. */
interface PresetOrder {
  readonly key: (preset: WireRecord) => unknown;
  readonly judge: (lists: readonly Directed[]) => Judgement;
}

function inBoth(compare: CompareKeys): PresetOrder['judge'] {
  return (lists) =>
    together(...lists.map(([direction, list]) => inOrder(list, direction, compare)));
}

/** Models and locations have no stated order: any order that both directions follow passes. */
const byAnyOrder: PresetOrder['judge'] = (lists) => {
  const [up, down] = (['ASC', 'DESC'] as const).map(
    (wanted) => lists.find(([direction]) => direction === wanted)?.[1],
  );
  return up === undefined || down === undefined ? notObserved : someOrder(up, down);
};

/** An id may be a number or a text. */
const compareIds: CompareKeys = (left, right) =>
  typeof left === 'number' ? compareNumbers(left, right) : compareTexts(left, right);

const judges: Readonly<Record<PresetSort, readonly PresetOrder['judge'][]>> = {
  REGION: regionOrders.map(inBoth),
  LOCATION: [byAnyOrder],
  GPU: [byAnyOrder],
  CPU: [inBoth(compareAmounts)],
  MEMORY: [inBoth(compareAmounts)],
  STORAGE: [inBoth(compareAmounts)],
  HOURLY_PRICE: [inBoth(compareNumbers)],
  ID: [inBoth(compareIds)],
};

/**
 * The keys and orders that a sort may follow. A GPU may be sorted by its model or by its count. The model may stand with
 * the count in the bound field or in another text; numbers that no other field is bound to may be the count.
 */
function presetOrders(
  sort: PresetSort,
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): readonly PresetOrder[] {
  const bound = (preset: WireRecord) => {
    const value = presetValue(preset, presetSortFields[sort], bindings);
    // A location without a region may appear as the region, and be sorted like an absent one.
    const isNone = sort === 'REGION' && value === presetValue(preset, 'location', bindings);
    return isNone ? null : value;
  };
  const orders = judges[sort].map((judge) => ({ key: bound, judge }));
  if (sort !== 'GPU') return orders;
  const of = (kind: 'string' | 'number') =>
    [...new Set(presets.flatMap((preset) => [...paths(preset, kind)]))].filter(
      (path) => !isBoundElsewhere(path, presets, bindings),
    );
  const model = (preset: WireRecord): unknown => {
    const text = bound(preset);
    return typeof text === 'string' ? withoutCount(text) : text;
  };
  const ids = new Set(presets.map((preset) => canonicalJson(preset))).size;
  const at = (path: string) => (preset: WireRecord) => memberAt(preset, path);
  return [
    ...orders,
    { key: model, judge: byAnyOrder },
    // A text that differs for nearly every preset would explain any order.
    ...of('string')
      .filter((path) => new Set(presets.map(at(path))).size * 2 <= ids)
      .map((path) => ({ key: at(path), judge: byAnyOrder })),
    ...of('number').map((path) => ({ key: at(path), judge: inBoth(compareNumbers) })),
  ];
}

/**
 * Each list of presets is sorted in its direction, all by the same key. When every preset shows its GPU with a count, the
 * server may sort by a model that no preset shows, so a wrong order is then not observed.
 */
export function presetsInOrder(
  sort: PresetSort,
  lists: readonly (readonly [SortDirection, Part])[],
  bindings: ComputeBindings | undefined,
): Judgement {
  const presets = lists.flatMap(([, { records }]) => records);
  const judgement = bySomeOrder(presetOrders(sort, presets, bindings), ({ key, judge }) =>
    judge(lists.map(([direction, list]) => [direction, sortedBy(list, key)])),
  );
  const hidesModel =
    sort === 'GPU' &&
    presets.every((preset) => {
      const text = presetValue(preset, 'gpu', bindings);
      return typeof text === 'string' && withoutCount(text) !== text;
    });
  return judgement.violations.length > 0 && hidesModel ? notObserved : judgement;
}

const SEPARATOR = '\n';
/** The fields of a preset other than its GPU. */
const others = ['id', 'sku', 'region', 'location', 'cpu', 'memory', 'storage', 'price'] as const;

/** Paths to the values of a kind in an object, at any depth. */
function* paths(holder: WireRecord, kind: 'string' | 'number', above = ''): Generator<string> {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === kind) yield `${above}${name}`;
    if (isObject(value)) yield* paths(value, kind, `${above}${name}${SEPARATOR}`);
  }
}

function memberAt(preset: WireRecord, path: string): unknown {
  let found: unknown = preset;
  for (const name of path.split(SEPARATOR)) found = isObject(found) ? found[name] : undefined;
  return found;
}

/** Whether a member equals another bound field in every preset. */
function isBoundElsewhere(
  path: string,
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): boolean {
  return others.some((field) =>
    presets.every((preset) => memberAt(preset, path) === presetValue(preset, field, bindings)),
  );
}
