/** The instant of one creation, as both date bounds see it (compute#list-instances/date_range_begin and _end). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, held, vacuous, violated } from '../judgement.ts';

/** Where the windows stop having an instance, to the millisecond. */
export interface Boundary {
  /** The last instant for which the window from it on has the instance. */
  readonly lastBegin: number;
  /** The first instant for which the window up to it has the instance. */
  readonly firstEnd: number;
  readonly exchanges: readonly Exchange[];
}

const MINUTE_MS = 60_000;

/**
 * Both bounds include the instant itself, so they meet in it. Bounds that miss each other by a millisecond may
 * be those of a service that keeps finer times than its filters read: that is no violation, unless the instant is
 * a whole minute, which a finer time is not by chance.
 */
export function meetsInclusively(boundary: Boundary): {
  readonly begin: Judgement;
  readonly end: Judgement;
} {
  const { lastBegin, firstEnd, exchanges } = boundary;
  if (lastBegin >= firstEnd) return { begin: held(), end: held() };
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
  if (firstEnd % MINUTE_MS === 0) return { begin: missed('begin', firstEnd), end: held() };
  if (lastBegin % MINUTE_MS === 0) return { begin: held(), end: missed('end', lastBegin) };
  return { begin: vacuous, end: vacuous };
}
