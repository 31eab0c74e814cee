/** The end-to-end deadline (router#limits/deadline). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { acceptableFinalCodes, endedWith, outcomeText } from '../router/outcome.ts';

/** Tolerance for clocks and timers, in milliseconds. */
export const TOLERANCE_MS = 100;

function afterMs({ durationMs }: Exchange): string {
  return `after ${Math.round(durationMs)} ms`;
}

function endedAs(exchange: Exchange, expected: string) {
  return { expected, actual: `${outcomeText(exchange)} ${afterMs(exchange)}` };
}

/** Codes with which a session may end before its deadline because the agents gave up a silent engine. */
const wasGivenUp = hasCode(
  'agent_disconnected',
  'backend_error',
  'backend_unavailable',
  'no_agents_available',
  'no_capacity',
);

/** Whether agents gave up a silent engine before the deadline; how long agents wait is open. */
export function gaveUpBefore(exchange: Exchange, deadlineMs: number): boolean {
  return wasGivenUp(exchange) && !outlasted(exchange, deadlineMs);
}

/** An unanswered request ended with request_timeout. A request that agents gave up earlier is not judged. */
export function timedOut(exchange: Exchange, deadlineMs: number): Judgement {
  if (gaveUpBefore(exchange, deadlineMs)) return notObserved;
  if (exchange.ending !== 'timeout') return endedWith(exchange, ['request_timeout']);
  return violated(
    'A request went on far beyond the deadline.',
    { expected: `request_timeout after ${deadlineMs} ms`, actual: `no end ${afterMs(exchange)}` },
    exchange,
  );
}

/** Milliseconds after which even a slow machine cannot have ended a request because of its deadline. */
export function farBeyondMs(deadlineMs: number): number {
  return 1.5 * deadlineMs + 2_000;
}

/** Whether a request ended too late for its deadline to be the cause. */
export function endedFarBeyond(exchange: Exchange, deadlineMs: number): boolean {
  return exchange.durationMs > farBeyondMs(deadlineMs);
}

/** The repeat of a request that ended far beyond the deadline ended in time. */
export function endedInTime(exchange: Exchange, deadlineMs: number): Judgement {
  return expectThat(
    !endedFarBeyond(exchange, deadlineMs),
    'Two requests in a row ended far beyond the deadline.',
    endedAs(exchange, `an end after ${deadlineMs} ms`),
    exchange,
  );
}

/** Whether a request ended so late, even for a busy machine, that the router may use a longer deadline. */
export function endedLate(exchange: Exchange, deadlineMs: number): boolean {
  return exchange.durationMs > 1.1 * deadlineMs + 300;
}

/** Largest spread of end times, in milliseconds, that one longer deadline explains. A busy machine spreads them more. */
const ALIKE_MS = 250;

/**
 * Consecutive requests did not all end late after the same time, which would show a longer deadline. A busy machine, or a
 * router that polls for passed deadlines, is late by a different time for each request.
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

/** Whether a request was still waiting at its deadline. */
export function outlasted(exchange: Exchange, deadlineMs: number): boolean {
  return exchange.durationMs >= deadlineMs - TOLERANCE_MS;
}

/** A request_timeout came at the deadline and not before. Other endings are not judged. */
export function notBeforeDeadline(exchange: Exchange, deadlineMs: number): Judgement {
  if (codeOf(exchange) !== 'request_timeout') return notObserved;
  return expectThat(
    outlasted(exchange, deadlineMs),
    'A request_timeout came before the deadline.',
    { expected: `not before ${deadlineMs} ms`, actual: afterMs(exchange) },
    exchange,
  );
}

/** A request as the engine logged it. */
export interface EngineHit {
  readonly at: number;
  readonly path: string;
  readonly bodyLength: number;
}

/** Tells apart requests that are sent together: by path and body length. */
function nameOf({ path, bodyLength }: EngineHit): string {
  return `${path} ${bodyLength}`;
}

/** Whether a request may have waited for a slot: it got no_capacity, and fewer than `sent` requests reached an engine. */
export function mayHaveWaitedForSlot(
  exchange: Exchange,
  hits: readonly EngineHit[],
  sent: number,
): boolean {
  return codeOf(exchange) === 'no_capacity' && new Set(hits.map(nameOf)).size < sent;
}

/** No engine was asked again for a request after the deadline, counted from the first time that one was asked. */
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

/** Share of the deadline within which agents that give up may hand a request on; later hits come with the deadline. */
const IN_TIME = 0.95;

/** No other agent or provider was asked when the deadline passed. Earlier hits follow agents that gave up. */
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

/** Milliseconds by which a restarted deadline may end late; a still later end has another cause. */
const LATE_MS = 1_000;

/** Shortest wait, in milliseconds, that is judged: a busy machine is late by as much as a shorter wait would add. */
const TELLING_WAIT_MS = 1_500;

/**
 * An earlier wait of `ms` milliseconds counted against the deadline of the request; `of` completes "the time that a request
 * …". A deadline that restarted after the wait ends later by that time. An overloaded router ends requests at any time, so
 * a still later request_timeout is not judged.
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

/** A request ended at its deadline while it waited for a processor, `waitedMs` in all. Refusals are not judged. */
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

/** Requests that were kept until their deadline, and requests that were sent after some of these had ended late. */
export interface KeptRequests {
  /** The plain request comes first. */
  readonly first: readonly [Exchange, ...Exchange[]];
  readonly hits: readonly EngineHit[];
  /** Repeats of the requests that had ended far beyond the deadline. */
  readonly repeated: readonly Exchange[];
  /** Plain requests sent one after another, of which the first ended late. */
  readonly inTurn: readonly Exchange[];
}

/** The requests that met a silent engine and could not wait for anything else. */
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
 * Whether a request met the silent engine. A stream that the router begins by itself is excluded, since its status can no
 * longer report a deadline, and so is a request that was refused for another reason.
 */
function namesDeadline(exchange: Exchange, deadlineMs: number): boolean {
  const begun = exchange.response?.status === 200;
  if (codeOf(exchange) === 'queue_full' && !outlasted(exchange, deadlineMs)) return false;
  return !begun && (exchange.ending === 'timeout' || exchange.durationMs > deadlineMs / 2);
}

/** Unanswered requests ended at their deadline, and no engine was asked for them after it. */
export function endedAtDeadline(kept: KeptRequests, deadlineMs: number): Judgement {
  const [plain] = kept.first;
  return together(
    notAskedTooLate(kept.hits, deadlineMs, plain),
    ...keptByEngine(kept, deadlineMs).map((exchange) => timedOut(exchange, deadlineMs)),
    ...kept.repeated.map((exchange) => endedInTime(exchange, deadlineMs)),
    kept.inTurn.length === 0 ? notObserved : notLateAlike(kept.inTurn, deadlineMs),
  );
}

/** None of the requests ended before its deadline. */
export function noneBeforeDeadline(kept: KeptRequests, deadlineMs: number): Judgement {
  return together(
    ...keptByEngine(kept, deadlineMs).map((exchange) => notBeforeDeadline(exchange, deadlineMs)),
  );
}

/**
 * Requests whose engine fell silent after its response head ended at their deadline; `repeated` are those again that ended
 * far too late. Forwarded heads are not judged.
 */
export function endedAfterHead(
  { first, repeated }: Pick<KeptRequests, 'repeated'> & { readonly first: readonly Exchange[] },
  deadlineMs: number,
): Judgement {
  const kept = first.filter((exchange) => namesDeadline(exchange, deadlineMs));
  return together(
    ...kept.map((exchange) => timedOut(exchange, deadlineMs)),
    ...repeated.map((exchange) => endedInTime(exchange, deadlineMs)),
  );
}

/**
 * A request whose engine never ended an error ended in time, or its repeat did. What it got is not judged, since the code
 * of an error whose body is lost is open.
 */
export function endedInError(
  { first, repeated }: Parameters<typeof endedAfterHead>[0],
  deadlineMs: number,
): Judgement {
  const kept = first.filter((exchange) => namesDeadline(exchange, deadlineMs));
  const last = repeated.length > 0 ? repeated : kept;
  return together(...last.map((exchange) => endedInTime(exchange, deadlineMs)));
}

/** Whether `endedAfterHead` needs a repeat of the request. */
export function isFarTooLate(exchange: Exchange, deadlineMs: number): boolean {
  return namesDeadline(exchange, deadlineMs) && endedFarBeyond(exchange, deadlineMs);
}

/** A request that waited for a slot ended as it must; it may have waited for a processor first. */
export function endedForSlot(exchange: Exchange, deadlineMs: number): Judgement {
  const waited = outlasted(exchange, deadlineMs);
  return endedWith(exchange, acceptableFinalCodes(waited ? 'deadline-in-queue' : 'slots-full'));
}
