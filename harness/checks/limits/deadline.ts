/** The end-to-end deadline (router#limits/deadline). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { acceptableFinalCodes, endedWith, outcomeText } from '../router/outcome.ts';

/** Milliseconds by which clocks and timers may differ. */
export const TOLERANCE_MS = 100;

function afterMs({ durationMs }: Exchange): string {
  return `after ${Math.round(durationMs)} ms`;
}

function endedAs(exchange: Exchange, expected: string) {
  return { expected, actual: `${outcomeText(exchange)} ${afterMs(exchange)}` };
}

/** Whether agents may have ended a session before its deadline, having given a silent engine up. */
const wasGivenUp = hasCode(
  'agent_disconnected',
  'backend_error',
  'backend_unavailable',
  'no_agents_available',
  'no_capacity',
);

/** Whether agents gave a silent engine up before the deadline could pass: how long they wait is their own affair. */
export function gaveUpBefore(exchange: Exchange, deadlineMs: number): boolean {
  return wasGivenUp(exchange) && !outlasted(exchange, deadlineMs);
}

/**
 * Whether a request that nobody answered ended with request_timeout; one that we stopped waiting for did not, and one that
 * agents gave up earlier shows nothing.
 */
export function timedOut(exchange: Exchange, deadlineMs: number): Judgement {
  if (gaveUpBefore(exchange, deadlineMs)) return notObserved;
  if (exchange.ending !== 'timeout') return endedWith(exchange, ['request_timeout']);
  return violated(
    'A request went on far beyond the deadline.',
    { expected: `request_timeout after ${deadlineMs} ms`, actual: `no end ${afterMs(exchange)}` },
    exchange,
  );
}

/** Milliseconds after which, even on a slow machine, it is not its deadline that ends a request. */
export function farBeyondMs(deadlineMs: number): number {
  return 1.5 * deadlineMs + 2_000;
}

/** Whether a request ended so late that its deadline cannot have been what ended it. */
export function endedFarBeyond(exchange: Exchange, deadlineMs: number): boolean {
  return exchange.durationMs > farBeyondMs(deadlineMs);
}

/** Whether a request that was sent anew, since the one before had ended far beyond the deadline, ended in time. */
export function endedInTime(exchange: Exchange, deadlineMs: number): Judgement {
  return expectThat(
    !endedFarBeyond(exchange, deadlineMs),
    'Two requests in a row ended far beyond the deadline.',
    endedAs(exchange, `an end after ${deadlineMs} ms`),
    exchange,
  );
}

/** Whether a request ended so late, even for a busy machine, that its deadline may be another one. */
export function endedLate(exchange: Exchange, deadlineMs: number): boolean {
  return exchange.durationMs > 1.1 * deadlineMs + 300;
}

/** Milliseconds by which ends differ that a longer deadline brought: what a busy machine does to them differs by more. */
const ALIKE_MS = 250;

/**
 * Whether requests that were sent one after another did not all end late by the same time. A machine with too much to do, and
 * a router that looks for passed deadlines now and then, are late by another time whenever a request begins at another
 * moment.
 */
export function notLateAlike(exchanges: readonly Exchange[], deadlineMs: number): Judgement {
  if (exchanges.some((exchange) => !endedLate(exchange, deadlineMs))) return pass();
  const ends = exchanges.map(({ durationMs }) => Math.round(durationMs));
  if (exchanges.length < 2 || Math.max(...ends) - Math.min(...ends) > ALIKE_MS) return notObserved;
  return violated(
    'Requests end long after their deadline, and each as late as the other.',
    { expected: `an end after ${deadlineMs} ms`, actual: `after ${ends.join(', ')} ms` },
    ...exchanges,
  );
}

/** Whether a request still waited when its deadline passed. One that was answered before need not have waited for it. */
export function outlasted(exchange: Exchange, deadlineMs: number): boolean {
  return exchange.durationMs >= deadlineMs - TOLERANCE_MS;
}

/** Whether a request_timeout came at the deadline and not before. Any other end shows nothing. */
export function notBeforeDeadline(exchange: Exchange, deadlineMs: number): Judgement {
  if (codeOf(exchange) !== 'request_timeout') return notObserved;
  return expectThat(
    outlasted(exchange, deadlineMs),
    'A request_timeout came before the deadline.',
    { expected: `not before ${deadlineMs} ms`, actual: afterMs(exchange) },
    exchange,
  );
}

/** A request at an engine, as its log has it. */
export interface EngineHit {
  readonly at: number;
  readonly path: string;
  readonly bodyLength: number;
}

/** What tells requests apart that are sent together: where they go, and how long they are. */
function nameOf({ path, bodyLength }: EngineHit): string {
  return `${path} ${bodyLength}`;
}

/**
 * Whether a request may have waited for a slot until its deadline: it ended for want of one, and fewer requests than the
 * `sent` ones came to an engine.
 */
export function mayHaveWaitedForSlot(
  exchange: Exchange,
  hits: readonly EngineHit[],
  sent: number,
): boolean {
  return codeOf(exchange) === 'no_capacity' && new Set(hits.map(nameOf)).size < sent;
}

/** Whether no engine was asked anew for a request when its deadline had passed since it was asked first. */
export function notAskedTooLate(
  hits: readonly EngineHit[],
  deadlineMs: number,
  shown: Exchange,
): Judgement {
  if (hits.length === 0) return notObserved;
  const firstOf = (hit: EngineHit) => hits.find((one) => nameOf(one) === nameOf(hit)) ?? hit;
  const longestMs = Math.max(...hits.map((hit) => hit.at - firstOf(hit).at));
  return expectThat(
    longestMs < deadlineMs,
    'An engine was asked anew for a request whose deadline had passed.',
    {
      expected: `nothing beyond ${deadlineMs} ms`,
      actual: `another try after ${Math.round(longestMs)} ms`,
    },
    shown,
  );
}

/** The part of a deadline in which agents that give up may hand a request on; what comes later comes with the deadline. */
const IN_TIME = 0.95;

/**
 * Whether no other agent or provider was asked when the deadline passed at the agents. One that was asked long before was
 * asked because they had given up.
 */
export function nobodyAskedAtDeadline(
  [first, ...others]: readonly EngineHit[],
  deadlineMs: number,
  shown: Exchange,
): Judgement {
  if (first === undefined) return notObserved;
  const asked = others.map(({ at }) => at - first.at);
  return expectThat(
    asked.every((ms) => ms < IN_TIME * deadlineMs),
    'Another was asked when the deadline of a request had passed at its agents.',
    {
      expected: 'no further hit at the deadline',
      actual: `after ${asked.map(Math.round).join(', ')} ms`,
    },
    shown,
  );
}

/** Milliseconds by which a deadline that began anew may be late: what ends later still was kept by something else. */
const LATE_MS = 1_000;

/** Milliseconds of waiting below which a machine with too much to do, which is as late, looks like a deadline that began anew. */
const TELLING_WAIT_MS = 1_500;

/**
 * Whether the time before that a request was kept counted against its deadline; `of` is what the request did in that
 * time, as in "the time that a request waited". A request that got its whole deadline again afterwards ends that much
 * later; a router that had too much to do ends it whenever it can, which shows nothing.
 */
export function timeCounted(
  exchange: Exchange,
  deadlineMs: number,
  { ms, of }: { readonly ms: number; readonly of: string },
): Judgement {
  const timeout = codeOf(exchange) === 'request_timeout';
  if ((!timeout && exchange.ending !== 'timeout') || ms < TELLING_WAIT_MS) return notObserved;
  if (timeout && exchange.durationMs > deadlineMs + ms + LATE_MS) return notObserved;
  const expected = `request_timeout after ${deadlineMs} ms, for ${Math.round(ms)} of which it ${of}`;
  return expectThat(
    timeout && exchange.durationMs < deadlineMs + ms - 2 * TOLERANCE_MS,
    `The time that a request ${of} did not count against its deadline.`,
    endedAs(exchange, expected),
    exchange,
  );
}

/**
 * Whether a request whose deadline passed while it waited for a processor, `waitedMs` in all, ended then. One that had
 * its processor before, or was refused, shows nothing.
 */
export function endedWhileWaiting(
  exchange: Exchange,
  deadlineMs: number,
  waitedMs: number,
): Judgement {
  if (waitedMs < deadlineMs - TOLERANCE_MS) return notObserved;
  const late = endedFarBeyond(exchange, deadlineMs);
  if (!late && codeOf(exchange) !== 'request_timeout') return notObserved;
  return expectThat(
    !late,
    'A request was still waiting for a processor long after its deadline.',
    endedAs(exchange, `request_timeout after ${deadlineMs} ms`),
    exchange,
  );
}

/** Requests that were kept until their deadline, and those that were sent after some had ended late. */
export interface KeptRequests {
  /** The plain one first. */
  readonly first: readonly [Exchange, ...Exchange[]];
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

/**
 * Whether a request whose engine was silent after the head of its answer ended at its deadline; where it ended far too late it
 * was sent anew. What the router passes on as it comes shows nothing.
 */
export function endedAfterHead(
  [first, ...repeated]: readonly [Exchange, ...Exchange[]],
  deadlineMs: number,
): Judgement {
  if (!namesDeadline(first, deadlineMs)) return notObserved;
  const again = repeated.map((exchange) => endedInTime(exchange, deadlineMs));
  return together(timedOut(first, deadlineMs), ...again);
}

/** Whether such a request has to be sent anew. */
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
