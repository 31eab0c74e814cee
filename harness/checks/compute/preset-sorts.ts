/** What each sort of presets may go by (compute#presets/sort_field). */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { presetSortFields } from '../../../schemas/compute/presets.ts';
import { canonicalJson, isObject } from '../../exchange/body.ts';
import { type Judgement, notObserved, together } from '../judgement.ts';
import { presetValue, withoutCount } from './presets.ts';
import type { WireRecord } from './records.ts';
import type { Part } from './selection.ts';
import {
  type CompareKeys,
  bySomeOrder,
  compareAmounts,
  compareNumbers,
  compareTexts,
  regionOrders,
} from './sort-key.ts';
import { type SortDirection, type SortedList, inOrder, someOrder } from './sorting.ts';

export type PresetSort = keyof typeof presetSortFields;

/** A list in one direction. */
type Directed = readonly [SortDirection, SortedList];

/** One way to sort: the key of a preset, and what lists by such keys must look like. */
interface PresetOrder {
  readonly key: (preset: WireRecord) => unknown;
  readonly judge: (lists: readonly Directed[]) => Judgement;
}

function by(compare: CompareKeys): PresetOrder['judge'] {
  return (lists) =>
    together(...lists.map(([direction, list]) => inOrder(list, direction, compare)));
}

/** Models and locations have no stated order: any that both directions agree on will do. */
const byAnyOrder: PresetOrder['judge'] = (lists) => {
  const [up, down] = (['ASC', 'DESC'] as const).map(
    (wanted) => lists.find(([direction]) => direction === wanted)?.[1],
  );
  return up === undefined || down === undefined ? notObserved : someOrder(up, down);
};

/** An id may be a number or text. */
const compareIds: CompareKeys = (left, right) =>
  typeof left === 'number' ? compareNumbers(left, right) : compareTexts(left, right);

const judges: Readonly<Record<PresetSort, readonly PresetOrder['judge'][]>> = {
  REGION: regionOrders.map((compare) => by(compare)),
  LOCATION: [byAnyOrder],
  GPU: [byAnyOrder],
  CPU: [by(compareAmounts)],
  MEMORY: [by(compareAmounts)],
  STORAGE: [by(compareAmounts)],
  HOURLY_PRICE: [by(compareNumbers)],
  ID: [by(compareIds)],
};

/**
 * The orders that a sort may have. A preset fixes a model and a count of GPUs, and GPU may mean either: the model may
 * stand beside its count in what is bound, or in another text; figures that no other field is bound to may be the count.
 */
function presetOrders(
  sort: PresetSort,
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): readonly PresetOrder[] {
  const bound = (preset: WireRecord) => presetValue(preset, presetSortFields[sort], bindings);
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
    // A text that each preset has for itself would explain any order.
    ...of('string')
      .filter((path) => new Set(presets.map(at(path))).size * 2 <= ids)
      .map((path) => ({ key: at(path), judge: byAnyOrder })),
    ...of('number').map((path) => ({ key: at(path), judge: by(compareNumbers) })),
  ];
}

/** Presets with the key that each was sorted by. */
export function presetsBy(list: Part, key: (preset: WireRecord) => unknown): SortedList {
  const items = list.records.map((preset, index) => ({
    id: list.ids[index] ?? '',
    key: key(preset),
  }));
  return { items, exchanges: list.exchanges };
}

/**
 * Each list of presets is sorted in its direction, all of them by the same key. GPUs that are all shown with their count
 * may go by a model that no preset shows.
 */
export function presetsInOrder(
  sort: PresetSort,
  lists: readonly (readonly [SortDirection, Part])[],
  bindings: ComputeBindings | undefined,
): Judgement {
  const presets = lists.flatMap(([, { records }]) => records);
  const judgement = bySomeOrder(presetOrders(sort, presets, bindings), ({ key, judge }) =>
    judge(lists.map(([direction, list]) => [direction, presetsBy(list, key)])),
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
/** What a preset is beside its GPUs. */
const others = ['id', 'sku', 'region', 'location', 'cpu', 'memory', 'storage', 'price'] as const;

/** Where an object holds values of a kind, at any depth. */
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

/** Whether a member is that of another field in every preset. */
function isBoundElsewhere(
  path: string,
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): boolean {
  return others.some((field) =>
    presets.every((preset) => memberAt(preset, path) === presetValue(preset, field, bindings)),
  );
}
