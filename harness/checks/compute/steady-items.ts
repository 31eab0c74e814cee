/** What a walk over pages can be judged by where others create and remove items meanwhile. */

import type { Part } from './selection.ts';

/**
 * The items of a walk that the lists read `before` and `after` it have as well, and that it has once; all of them where
 * these two have the same items. What appears between two pages pushes the items after it on, so that one comes again
 * on the next page, and may come there after those that stand behind it.
 */
export function steadyItems(walk: Part, before: Part, after: Part): Part {
  const [first, last] = [new Set(before.ids), new Set(after.ids)];
  if (first.size === last.size && before.ids.every((id) => last.has(id))) return walk;
  const times = new Map<string, number>();
  for (const id of walk.ids) times.set(id, (times.get(id) ?? 0) + 1);
  const isSteady = (id: string): boolean => times.get(id) === 1 && first.has(id) && last.has(id);
  return {
    ...walk,
    ids: walk.ids.filter(isSteady),
    records: walk.records.filter((_, index) => isSteady(walk.ids[index] ?? '')),
  };
}
