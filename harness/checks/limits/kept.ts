/** Laws of the end-to-end deadline, over requests that were kept until it (router#limits/deadline). */

import type { Exchange } from '../../exchange/exchange.ts';
import {
  endedFarBeyond,
  endedInTime,
  type EngineHit,
  mayHaveWaitedForSlot,
  notAskedTooLate,
  notBeforeDeadline,
  notLateAlike,
  outlasted,
  timedOut,
} from './deadline.ts';
import { type Judgement, notObserved, together } from '../judgement.ts';
import { acceptableFinalCodes, endedWith } from '../router/outcome.ts';

/** Requests that were kept until their deadline, and those that were sent after some had ended late. */
export interface KeptRequests {
  /** The plain one first. */
  readonly first: readonly Exchange[];
  readonly hits: readonly EngineHit[];
  /** Those sent anew for the ones that had ended far beyond the deadline. */
  readonly repeated: readonly Exchange[];
  /** Plain ones, one after another, the first of them late. */
  readonly inTurn: readonly Exchange[];
}

/** Those that met a silent engine, and could wait for nothing else. */
export function keptByEngine(
  { first, hits }: Pick<KeptRequests, 'first' | 'hits'>,
  deadlineMs: number,
): readonly Exchange[] {
  return first.filter(
    (one, at) =>
      (at === 0 || namesDeadline(one, deadlineMs)) &&
      !mayHaveWaitedForSlot(one, hits, first.length),
  );
}

/**
 * Whether a request met the silent engine: it is neither a stream that the router begins by itself, whose status cannot
 * tell of a deadline any more, nor one that was refused for something else.
 */
function namesDeadline(exchange: Exchange, deadlineMs: number): boolean {
  const begun = exchange.response?.status === 200;
  return !begun && (exchange.ending === 'timeout' || exchange.durationMs > deadlineMs / 2);
}

/** Whether requests that no engine answered ended at their deadline, and no engine was asked for them after it. */
export function endedAtDeadline(kept: KeptRequests, deadlineMs: number): Judgement {
  const [plain] = kept.first;
  if (plain === undefined) return notObserved;
  return together(
    notAskedTooLate(kept.hits, deadlineMs, plain),
    ...keptByEngine(kept, deadlineMs).map((exchange) => timedOut(exchange, deadlineMs)),
    ...kept.repeated.map((exchange) => endedInTime(exchange, deadlineMs)),
    kept.inTurn.length === 0 ? notObserved : notLateAlike(kept.inTurn, deadlineMs),
  );
}

/** Whether none of them ended before its deadline. */
export function noneBeforeDeadline(kept: KeptRequests, deadlineMs: number): Judgement {
  return together(
    ...keptByEngine(kept, deadlineMs).map((exchange) => notBeforeDeadline(exchange, deadlineMs)),
  );
}

/** A request whose engine was silent after the head of its answer, and the one that was sent anew where it ended far too late. */
export interface KeptAfterHead {
  readonly first: Exchange;
  readonly repeated: Exchange | undefined;
}

/** Whether it ended at its deadline. What the router passes on as it comes shows nothing. */
export function endedAfterHead({ first, repeated }: KeptAfterHead, deadlineMs: number): Judgement {
  if (!namesDeadline(first, deadlineMs)) return notObserved;
  return together(
    timedOut(first, deadlineMs),
    repeated === undefined ? notObserved : endedInTime(repeated, deadlineMs),
  );
}

/** Whether the one of {@link KeptAfterHead} has to be sent anew. */
export function isFarTooLate(exchange: Exchange, deadlineMs: number): boolean {
  return namesDeadline(exchange, deadlineMs) && endedFarBeyond(exchange, deadlineMs);
}

/**
 * Whether a request that waited for a slot ended as it must. It may have waited for a processor, while another case filled
 * the router, and found the slots taken then.
 */
export function endedForSlot(exchange: Exchange, deadlineMs: number): Judgement {
  const waited = outlasted(exchange, deadlineMs);
  return endedWith(exchange, acceptableFinalCodes(waited ? 'deadline-in-queue' : 'slots-full'));
}
