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
  let left: readonly Interval[] = [{ from: BEFORE_ALL, to: Date.now() + DAY_MS, ids }];
  while (left.length > 0 && sights.length < most) {
    // Those of one width do not depend on one another: on a slow target they are read at once.
    const halved = await Promise.all(
      left.slice(0, most - sights.length).map(async (interval) => halve(api, interval, ids)),
    );
    sights.push(...halved.flatMap((one) => one.sights));
    left = halved.flatMap(({ halves }) =>
      halves.filter(({ from, to, ids: within }) => within.length > 1 && to - from > 1),
    );
  }
  return sights;
}

async function halve(
  api: ComputeApi,
  { from, to, ids: within }: Interval,
  ids: readonly string[],
): Promise<{ readonly sights: readonly WindowSight[]; readonly halves: readonly Interval[] }> {
  const at = Math.floor((from + to) / 2);
  const begin = await sight(api, 'begin', at);
  const inside = new Set(begin.ids);
  const expected = ids.filter((id) => inside.has(id));
  const isBeginning = expected.every((id, index) => id === ids[index]);
  return {
    sights: isBeginning ? [begin] : [begin, await sight(api, 'end', at)],
    halves: [
      { from, to: at, ids: within.filter((id) => !inside.has(id)) },
      { from: at, to, ids: within.filter((id) => inside.has(id)) },
    ],
  };
}
