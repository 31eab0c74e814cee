/** The instant at which an instance was created, as the two date bounds show it, and date windows around now. */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import type { Extent, Seen } from './bracket.ts';

/** The instants at which the windows stop having an instance, to the millisecond. */
export interface Boundary {
  /** The last begin date whose window has the instance. */
  readonly lastBegin: number;
  /** The first end date whose window has the instance. */
  readonly firstEnd: number;
  readonly exchanges: readonly Exchange[];
}

const MINUTE_MS = 60_000;
/** Instances that must all be on whole minutes before this counts as more than chance. */
const TELLING_INSTANCES = 2;

/**
 * Both bounds include their instant, so they overlap. A gap of one millisecond may come from a service that stores finer
 * times than its filters read, to the millisecond or to the second. It is a violation only when the instants of several
 * instances are whole minutes, which finer times are not by chance.
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
  // At the instant between them, neither bound has the instance.
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

/** Parts of a second in which a service may keep or read its dates, so that both bounds overlap by one of them. */
const STEPS_MS = [125, 200, 250, 500, 1_000] as const;
const [LEAST_STEP_MS] = STEPS_MS;
const NEAR_MS = 3;

/** An instance is not created both after a begin date that has it and before an end date that has it. */
export function overlapsByStep({ lastBegin, firstEnd, exchanges }: Boundary): Judgement {
  const step = lastBegin - firstEnd + 1;
  const isStep = STEPS_MS.some((one) => Math.abs(step - one) <= NEAR_MS);
  return expectThat(
    step < LEAST_STEP_MS || isStep,
    'A window has an instance before its begin date, or after its end date.',
    {
      expected: 'bounds that meet, but for dates in parts of a second',
      actual: `begin has it until ${new Date(lastBegin).toISOString()}, end from ${new Date(firstEnd).toISOString()} on`,
    },
    ...exchanges,
  );
}

/** True when the bounds miss each other at a whole minute; further instances tell whether this is chance. */
export function missesOnWholeMinute({ lastBegin, firstEnd }: Boundary): boolean {
  return firstEnd - lastBegin === 1 && (firstEnd % MINUTE_MS === 0 || lastBegin % MINUTE_MS === 0);
}

/** Neither bound includes the exact instant of creation, even in times as fine as the filters read. */
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

/** `before` is the list before the creation, `window` the result of dates around now. A window that was cut says nothing. */
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

/**
 * An instance stands before those that were listed when it was made, in the default order from its beginning (`page`).
 * `window` is what was created since then: the instance, and none of those.
 */
export function newerFirst(id: string, before: Seen, page: Seen, window: Extent): Judgement {
  const one = id.toLowerCase();
  if (window.end !== 'last-page' || !window.ids.includes(one)) return notObserved;
  const place = page.ids.indexOf(one);
  const older = new Set(before.ids.filter((other) => !window.ids.includes(other)));
  const ahead = page.ids.slice(0, place === -1 ? undefined : place).find((x) => older.has(x));
  if (ahead === undefined && place === -1) return notObserved;
  return expectThat(
    ahead === undefined,
    'An instance stands behind one that was there when it was made.',
    { expected: `${one} first`, actual: `${ahead} before it` },
    ...page.exchanges.slice(0, 1),
    ...window.exchanges.slice(0, 1),
  );
}
