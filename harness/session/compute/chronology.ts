/** Tells the instances of a page apart by when they were created, as far as a bounded number of requests can. */

import { BEFORE_ALL, type WindowSight } from '../../checks/compute/windows.ts';
import type { ComputeApi } from './api.ts';
import { instant, readWindow } from './dating.ts';

const DAY_MS = 86_400_000;

/** A list that one date bound gave; its newest page. */
export async function sight(
  api: ComputeApi,
  bound: WindowSight['bound'],
  at: number,
): Promise<WindowSight> {
  const { ids, exchanges } = await readWindow(api, { [`date_range_${bound}`]: instant(at) });
  return { bound, at, ids, exchanges };
}

interface Interval {
  readonly from: number;
  readonly to: number;
  /** Instances that the window from its beginning on has, and the one from its end on has not. */
  readonly ids: readonly string[];
}

/**
 * Windows that begin at instants between the creations of `ids`: the time of all of them is halved, then the
 * halves that still hold several, widest first, until each stands alone or `most` windows are read. Windows that
 * are not the beginning of `ids` are joined by those that end there, to tell which of them is wrong.
 */
export async function chronology(
  api: ComputeApi,
  ids: readonly string[],
  most: number,
): Promise<readonly WindowSight[]> {
  const sights: WindowSight[] = [];
  const left: Interval[] = [{ from: BEFORE_ALL, to: Date.now() + DAY_MS, ids }];
  for (let next = left.shift(); next !== undefined && sights.length < most; next = left.shift()) {
    const { from, to } = next;
    if (next.ids.length < 2 || to - from <= 1) continue;
    const at = Math.floor((from + to) / 2);
    const begin = await sight(api, 'begin', at);
    const inside = new Set(begin.ids);
    sights.push(begin);
    const expected = ids.filter((id) => inside.has(id));
    if (expected.some((id, index) => id !== ids[index])) sights.push(await sight(api, 'end', at));
    left.push(
      { from, to: at, ids: next.ids.filter((id) => !inside.has(id)) },
      { from: at, to, ids: next.ids.filter((id) => inside.has(id)) },
    );
  }
  return sights;
}
