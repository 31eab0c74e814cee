/** A sorted list that was walked over pages has the items of the list that it sorts (compute#list-instances/sort_field). */

import { instanceSortFields } from '../../../schemas/compute/list-instances.ts';
import { type Judgement, notObserved } from '../judgement.ts';
import type { InstanceSort } from './instance-sorts.ts';
import { type Part } from './selection.ts';
import { sameItems } from './sequence.ts';

/**
 * The walk brings every item once. A cursor may stand for a place among the keys, and then what moves while it is
 * walked comes twice or not at all: a list in which any key moved says nothing. Neither does one that was not read
 * to its end.
 */
export function keepsOverPages(
  sort: InstanceSort,
  { before, after }: { readonly before: Part; readonly after: Part },
  walked: Part,
): Judgement {
  const lists = [before, after, walked];
  if (lists.some(({ end }) => end !== 'last-page')) return notObserved;
  const keys = new Map<string, unknown>();
  for (const { ids, records } of lists) {
    for (const [index, id] of ids.entries()) {
      const key = records[index]?.[instanceSortFields[sort]];
      if (keys.has(id) && !Object.is(keys.get(id), key)) return notObserved;
      keys.set(id, key);
    }
  }
  return sameItems({ before: before.ids, after: after.ids }, walked);
}
