/** What each sort of presets may go by (compute#presets/sort_field). */

import type { ComputeBindings } from '../../../schemas/target-bindings.ts';
import { presetSortFields } from '../../../schemas/compute/presets.ts';
import { isObject } from '../../exchange/body.ts';
import { type Judgement, together } from '../judgement.ts';
import { presetValue } from './presets.ts';
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
import { type SortDirection, type SortedList, inOrder } from './sorting.ts';

export type PresetSort = keyof typeof presetSortFields;

/** One way to sort: the key of a preset, and how keys compare. */
interface PresetOrder {
  readonly key: (preset: WireRecord) => unknown;
  readonly compare: CompareKeys;
}

/** An id may be a number or text. */
const compareIds: CompareKeys = (left, right) =>
  typeof left === 'number' ? compareNumbers(left, right) : compareTexts(left, right);

const compares: Readonly<Record<PresetSort, readonly CompareKeys[]>> = {
  REGION: regionOrders,
  LOCATION: [compareTexts],
  GPU: [compareTexts],
  CPU: [compareNumbers],
  MEMORY: [compareAmounts],
  STORAGE: [compareAmounts],
  HOURLY_PRICE: [compareNumbers],
  ID: [compareIds],
};

/**
 * The orders that a sort may have. A preset fixes a model and a count of GPUs, and GPU may mean either: figures
 * of a preset that no other field is bound to may be the count.
 */
function presetOrders(
  sort: PresetSort,
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): readonly PresetOrder[] {
  const bound = (preset: WireRecord) => presetValue(preset, presetSortFields[sort], bindings);
  const orders = compares[sort].map((compare) => ({ key: bound, compare }));
  if (sort !== 'GPU') return orders;
  const figures = [...new Set(presets.flatMap((preset) => [...paths(preset)]))];
  const counts = figures.filter((path) => !isBoundElsewhere(path, presets, bindings));
  return [
    ...orders,
    ...counts.map((path) => ({
      key: (preset: WireRecord) => at(preset, path),
      compare: compareNumbers,
    })),
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

/** Each list of presets is sorted in its direction, all of them by the same key. */
export function presetsInOrder(
  sort: PresetSort,
  lists: readonly (readonly [SortDirection, Part])[],
  bindings: ComputeBindings | undefined,
): Judgement {
  const presets = lists.flatMap(([, { records }]) => records);
  return bySomeOrder(presetOrders(sort, presets, bindings), ({ key, compare }) =>
    together(
      ...lists.map(([direction, list]) => inOrder(presetsBy(list, key), direction, compare)),
    ),
  );
}

const SEPARATOR = '\n';

/** Where an object holds numbers, at any depth. */
function* paths(holder: WireRecord, above = ''): Generator<string> {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === 'number') yield `${above}${name}`;
    if (isObject(value)) yield* paths(value, `${above}${name}${SEPARATOR}`);
  }
}

function at(preset: WireRecord, path: string): unknown {
  let found: unknown = preset;
  for (const name of path.split(SEPARATOR)) found = isObject(found) ? found[name] : undefined;
  return found;
}

/** Whether a figure is that of another field in every preset. */
function isBoundElsewhere(
  path: string,
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): boolean {
  return (['cpu', 'memory', 'storage', 'price', 'id'] as const).some((field) =>
    presets.every((preset) => at(preset, path) === presetValue(preset, field, bindings)),
  );
}
