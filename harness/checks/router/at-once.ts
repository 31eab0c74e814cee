/** How many requests an engine worked on at once, from when each of them came and went. */

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
