/** The instant of one creation, as the two date bounds meet it, and as the dates around now have it. */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import type { Extent } from './bracket.ts';

/** Where the windows stop having an instance, to the millisecond. */
export interface Boundary {
  /** The last instant for which the window from it on has the instance. */
  readonly lastBegin: number;
  /** The first instant for which the window up to it has the instance. */
  readonly firstEnd: number;
  readonly exchanges: readonly Exchange[];
}

const MINUTE_MS = 60_000;
/** Instances that must all lie on whole minutes before that is taken for more than chance. */
const TELLING_INSTANCES = 2;

/**
 * Both bounds include the instant itself, so they meet in it. Bounds that miss each other by a millisecond may
 * be those of a service that keeps finer times than its filters read, to the millisecond or to the second: that is no
 * violation, unless the instants of several instances are whole minutes, which finer times are not by chance.
 */
export function meetsInclusively(
  boundary: Boundary,
  ...others: readonly Boundary[]
): {
  readonly begin: Judgement;
  readonly end: Judgement;
} {
  const { lastBegin, firstEnd, exchanges } = boundary;
  if (lastBegin >= firstEnd) return { begin: pass(), end: pass() };
  const gap = firstEnd - lastBegin;
  const missed = (side: string, at: number): Judgement =>
    violated(
      `An instance created exactly at the ${side} date is not within it.`,
      { expected: `there at ${new Date(at).toISOString()}`, actual: 'not there' },
      ...exchanges,
    );
  // An instant at which neither bound has the instance is between them.
  if (gap >= 2) {
    return { begin: missed('begin', lastBegin + 1), end: missed('end', lastBegin + 1) };
  }
  const all = [boundary, ...others];
  if (others.some((one) => one.lastBegin >= one.firstEnd)) return { begin: pass(), end: pass() };
  const byChance = (instants: readonly number[]): boolean =>
    instants.length < TELLING_INSTANCES || instants.some((at) => at % MINUTE_MS !== 0);
  if (!byChance(all.map((one) => one.firstEnd))) {
    return { begin: missed('begin', firstEnd), end: pass() };
  }
  if (!byChance(all.map((one) => one.lastBegin))) {
    return { begin: pass(), end: missed('end', lastBegin) };
  }
  return { begin: notObserved, end: notObserved };
}

/** True when bounds miss each other on a whole minute: whether by chance, further instances tell. */
export function missesOnWholeMinute({ lastBegin, firstEnd }: Boundary): boolean {
  return firstEnd - lastBegin === 1 && (firstEnd % MINUTE_MS === 0 || lastBegin % MINUTE_MS === 0);
}

/** Neither bound has the instant at which the other one begins to have the instance, in times as fine as the filters read. */
export function missedInFineTimes(
  [last, next]: readonly [string, string],
  exchanges: readonly Exchange[],
): Judgement {
  return violated(
    'No instant is within both bounds: one of them leaves out what was created exactly then.',
    {
      expected: `an instant at which an instance is within both, at ${last} or ${next}`,
      actual: `begin has it until ${last}, end has it from ${next} on`,
    },
    ...exchanges,
  );
}

/**
 * `before` is the whole list before the instance was made, `window` what the dates around now select. What was there
 * before, or in a window that was cut, says nothing.
 */
export function createdNow(id: string, before: Extent, window: Extent): Judgement {
  const one = id.toLowerCase();
  if (before.end !== 'last-page' || before.ids.includes(one)) return notObserved;
  const isInside = window.ids.includes(one);
  if (!isInside && window.end !== 'last-page') return notObserved;
  return expectThat(
    isInside,
    'Dates around now leave out an instance that was made a moment ago.',
    { expected: one, actual: window.ids },
    ...window.exchanges.slice(-1),
  );
}
