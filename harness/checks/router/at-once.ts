/** How many requests an engine worked on at once, from when each of them came and went. */

import type { Exchange } from '../../exchange/exchange.ts';

/** What is known of one request at the engine; times in milliseconds. */
export interface HitSpan {
  readonly at: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
  /** `left`: whoever had sent it closed the connection. */
  readonly end: 'open' | 'answered' | 'dropped' | 'left';
}

/**
 * An engine learns a moment late that somebody left, on a busy machine long after the router has given the place to
 * another; who is let in too soon is there much longer than that.
 */
const LEAVING_MS = 150;

/** The most requests that were under way at one moment; those of the last moments of one that was left do not count. */
export function mostAtOnce(hits: readonly HitSpan[]): number {
  const spans = hits.map(({ at, endedAt, end }) => ({
    from: at,
    to: (endedAt ?? Infinity) - (end === 'left' ? LEAVING_MS : 0),
  }));
  const besides = spans.map(
    ({ from }) => spans.filter((other) => other.from <= from && other.to > from).length,
  );
  return Math.max(0, ...besides);
}

/**
 * The same while all of `filling` were there, which came first: once one of them has ended, as at its deadline, its place
 * may be another's, though its engine still works on it.
 */
export function mostBesideAll(hits: readonly HitSpan[], filling: readonly Exchange[]): number {
  const firstEnd = Math.min(...filling.map(({ startedAt, durationMs }) => startedAt + durationMs));
  const isBeside = ({ at }: HitSpan): boolean => at < firstEnd - LEAVING_MS;
  const inOrder = hits.toSorted((one, other) => one.at - other.at);
  return mostAtOnce(inOrder.filter((hit, place) => place < filling.length || isBeside(hit)));
}
