/** What the pace of a run lets it bring about: requests under way together, and limits that fill while they are used up. */

import type { RouterTarget } from '../../../schemas/router/target.ts';
import { NotExercised } from '../../runner/case.ts';

interface Paced {
  readonly target: Pick<RouterTarget, 'limits' | 'budget'>;
}

/** Milliseconds for which requests that are under way together must be left before the first meets its deadline. */
const LEFT_MS = 1_000;

/** Why so many requests cannot be under way together, and the line of the target file that helps; undefined where they can. */
export function whyNotTogether(
  { limits: { requestTimeoutMs: deadline } = {}, budget }: Pick<RouterTarget, 'limits' | 'budget'>,
  count: number,
  leftMs = LEFT_MS,
): { readonly reason: string; readonly line: string } | undefined {
  const pace = budget.requestsPerSecond;
  const takesMs = (count / pace) * 1_000;
  const roomMs = (deadline ?? Infinity) - leftMs;
  if (takesMs <= roomMs) return undefined;
  return {
    reason: `${atPace(pace)} it takes ${Math.round(takesMs)} ms to have ${count} requests under way; a deadline of ${deadline} ms leaves ${Math.max(0, roomMs)} ms`,
    line: `budget: { requestsPerSecond: ${Math.ceil((count / roomMs) * 1_000)} }`,
  };
}

/** The pace of a run, as a reason begins. */
function atPace(perSecond: number): string {
  return perSecond === 1 ? 'at a request a second' : `at ${perSecond} requests a second`;
}

/** Throws `NotExercised` where so many requests cannot be under way together. */
export function requireTogether({ target }: Paced, count: number): void {
  const why = whyNotTogether(target, count);
  if (why !== undefined) throw new NotExercised(why.reason, why.line);
}

/** Throws `NotExercised` where the run may not send so many requests a second, which it takes to use up `what`. */
export function requirePace(
  { target }: Pick<Paced, 'target'>,
  perSecond: number,
  what: string,
): void {
  const pace = target.budget.requestsPerSecond;
  if (pace >= perSecond) return;
  throw new NotExercised(
    `${atPace(pace)} ${what} is not used up`,
    `budget: { requestsPerSecond: ${Math.ceil(perSecond)} }`,
  );
}
