/** The filling of a whole router, which cases share because it blocks every client until the deadline. */

import { type Judgement, together } from '../../checks/judgement.ts';
import { endedWhileWaiting } from '../../checks/limits/deadline.ts';
import { refusedInTime, wasRefused } from '../../checks/limits/pending-channel.ts';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { codeOf, hasCode } from '../../checks/router/envelope.ts';
import { isSuccess, outcomeText } from '../../checks/router/outcome.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';
import { Experiment, Inconclusive, NotExercised } from '../../runner/case.ts';
import { fill, type Filling } from './filling.ts';
import type { RouterContext } from './session.ts';
import type { Waited } from './hold.ts';
import { whyNotTogether } from './pace.ts';
import type { InferenceOptions } from './api.ts';
import { complete } from '../../backend/behaviour.ts';
import { limitMs, retry, within } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';
import { hangUpWhileHeld } from './leave.ts';
import { requireFixture } from './fixtures.ts';
import { provoke } from './provoke.ts';

/** Factor on the lag of responses, by which a full channel may refuse later: to be entered, to be left, and to answer. */
const LAGS = 3;
/** Share of the run's requests that may go into the pending channel. */
const SHARE_OF_BUDGET = 0.5;

/** The shortest deadline that lets a channel be full for its five seconds. */
const MIN_DEADLINE_MS = QUEUE_FULL_SECONDS * 1_000 + 500;

/** Why a full channel cannot be seen, and the line of the target file that helps; undefined when it can. */
export function whyNoFullChannel(
  target: Pick<RouterTarget, 'limits' | 'budget'>,
): { readonly reason: string; readonly line?: string } | undefined {
  const { requestTimeoutMs: deadline, queueSize } = target.limits ?? {};
  if (queueSize === undefined) {
    return { reason: 'needs the size of the pending queue', line: 'limits: { queueSize: 100 }' };
  }
  if (deadline !== undefined && deadline < MIN_DEADLINE_MS) {
    return {
      reason: `a deadline of ${deadline} ms passes before the channel can be full for ${QUEUE_FULL_SECONDS} seconds: it takes a router whose deadline is ${MIN_DEADLINE_MS} ms at least`,
      line: 'limits: { requestTimeoutMs: 7000 }',
    };
  }
  const filling = (target.limits?.maxConcurrent ?? 0) + queueSize + 1;
  const tooSlow = whyNotTogether(target, filling, QUEUE_FULL_SECONDS * 1_000);
  if (tooSlow !== undefined) return tooSlow;
  if (queueSize <= SHARE_OF_BUDGET * target.budget.requests) return undefined;
  return {
    reason: `to fill a channel of ${queueSize} takes too many of ${target.budget.requests} requests`,
    line: `budget: { requests: ${Math.ceil(queueSize / SHARE_OF_BUDGET)} }`,
  };
}

/** The filling of the router behind a session; needs `limits.maxConcurrent` and the plain chat model. */
const saturation = new Experiment(fillUntilConclusive);

/** The router with its channel filled. Throws `NotExercised` when a full channel cannot be seen. */
export async function fullChannel(t: RouterContext): Promise<Filling> {
  const unseen = whyNoFullChannel(t.target);
  if (unseen !== undefined) throw new NotExercised(unseen.reason, unseen.line);
  return saturation.of(t);
}

/** The request that met a full channel. Throws `Inconclusive` when the channel was not full for its five seconds. */
export function beyondChannel({ limits }: RouterContext, filling: Filling): Exchange {
  const { further } = filling;
  if (further === undefined)
    throw new Inconclusive('the router refused with a full channel at once');
  if (limits.requestTimeoutMs === undefined && isTimeout(further)) {
    throw new Inconclusive('the deadline passed first; set limits.requestTimeoutMs');
  }
  if (codeOf(further) === 'backend_unavailable') {
    throw new Inconclusive('an agent gave its silent engine up, which made room in the channel');
  }
  return further;
}

/** The request that waited for a processor and then met a silent engine. Throws `Inconclusive` when none did. */
export async function waitedForProcessor(t: RouterContext): Promise<Waited> {
  const { waited } = await saturation.of(t);
  const watched = await t.yieldTarget(async () => waited);
  if (watched === undefined)
    throw new Inconclusive('the router refused with a full channel at once');
  const { exchange, waitedMs } = watched;
  if (isTimeout(exchange) || exchange.ending !== 'complete') return watched;
  throw new Inconclusive(
    `the request that was to wait for a processor ended as ${outcomeText(exchange)} after ${Math.round(waitedMs)} ms`,
  );
}

/** Milliseconds after its deadline within which a request ends on an idle machine. */
const DEADLINE_LAG_MS = 250;

/**
 * Whether requests ended at a deadline that passed while they waited for a processor. When processors came free in the
 * shared filling, as requests of other cases met their deadline, or one of those that waited ended somewhat late, the
 * router is filled once more, with nothing else under way. Throws when no processors were kept busy for so long.
 */
export async function endedAtProcessors(t: RouterContext, deadlineMs: number): Promise<Judgement> {
  const shared = await fullChannel(t);
  const atOnce = ({ exchange }: Waited): boolean =>
    exchange.durationMs < deadlineMs + DEADLINE_LAG_MS;
  const isTelling = shared.stayedBusy && (await shared.kept).every(atOnce);
  const { kept, stayedBusy } = isTelling ? shared : await fill(t, true);
  const ends = await kept;
  const judgement = together(
    ...ends.map(({ exchange, waitedMs }) => endedWhileWaiting(exchange, deadlineMs, waitedMs)),
  );
  if (judgement.violations.length > 0 || (judgement.seen > 0 && stayedBusy)) return judgement;
  if (ends.length > 0 && stayedBusy) {
    throw new Inconclusive('a processor came free before the deadline of those that waited');
  }
  throw new NotExercised(
    ends.length === 0
      ? 'the processors of this router could not be kept busy for as long as its deadline'
      : 'the router ends streams before their engine does, so that none of its processors can be kept busy for longer than its deadline',
  );
}

/**
 * Fills again when the request beyond the channel found room: an overloaded machine may take too long to fill the
 * router, or the router may refuse too late, when the requests that fill it were released or met their deadline. Also
 * fills again after a late refusal, or none. Throws `Inconclusive` when it found room again because others were refused or ended.
 */
async function fillUntilConclusive(t: RouterContext): Promise<Filling> {
  const deadlineMs = t.limits.requestTimeoutMs;
  const fillsChannel = whyNoFullChannel(t.target) === undefined;
  const first = await fill(t, fillsChannel);
  const { further, other, refused } = first;
  const isConclusive =
    further === undefined ||
    (!foundRoom(first, deadlineMs) &&
      [further, ...refused].some(wasRefused) &&
      refusedInTime(further, other).violations.length === 0);
  if (isConclusive) return first;
  const refilled = await fill(t, fillsChannel);
  if (!foundRoom(refilled, deadlineMs) || refilled.further === undefined) return refilled;
  if (refilled.refused.some(wasRefused) || isTimeout(refilled.further)) {
    throw new Inconclusive(
      'some of the requests that filled the router ended early, so the last request found a free place',
    );
  }
  return refilled;
}

/**
 * Whether the request beyond the channel was served, or met its deadline after others made room before it was full for
 * five seconds: they were refused, or had met their own deadline. The lag of responses on an overloaded machine shows in
 * how long after their deadline they come.
 */
export function foundRoom(
  { further, refused }: Pick<Filling, 'further' | 'refused'>,
  deadlineMs = Infinity,
): boolean {
  if (further === undefined) return false;
  if (!isTimeout(further)) return isSuccess(further);
  const late = refused.filter(isTimeout);
  const lagMs = Math.max(0, ...[further, ...late].map((one) => one.durationMs - deadlineMs));
  const fullUntil = further.startedAt + QUEUE_FULL_SECONDS * 1_000 + LAGS * lagMs;
  return refused.some(wasRefused) || late.some((one) => endOf(one) < fullUntil);
}

const isTimeout = hasCode('request_timeout');

/** Most clients that hang up to find lost processors. */
const MAX_PROCESSORS = 64;

/**
 * Lets as many clients hang up as there are processors, on requests or on streams, and others that wait for one, and checks
 * that the router serves.
 */
export async function leaveProcessors(t: RouterContext) {
  const model = requireFixture(t, 'chat');
  const most = Math.min(t.sharedPlaces.mostHeld, MAX_PROCESSORS);
  if (most < (t.limits.maxConcurrent ?? Infinity) - 1) {
    throw new NotExercised(`to leave more than ${MAX_PROCESSORS} processors takes too many`);
  }
  const asked = [];
  for (const stream of t.some([false, true], 1)) {
    // All but one, since one is always left for others, and then that one, too.
    for (const count of [most, 1].filter((some) => some > 0)) {
      const send = async (call: InferenceOptions) =>
        t.api.chat(model, { ...call, unbounded: true, inAnyCase: true });
      // More wait for a processor than there are: if each took one with it, none would be left.
      const waiting = count === most ? most + 2 : 0;
      await hangUpWhileHeld(t, count, send, { stream, patienceMs: limitMs('atWork'), waiting });
    }
    const idle = await askedWhenIdle(t, model);
    asked.push(idle);
    if (!isSuccess(idle.last)) break;
  }
  return asked;
}

const LONGEST_DEADLINE_MS = 60_000;

/** Sends to a model until it serves, while nobody else sends; also counts the requests at engines then. */
export async function askedWhenIdle(t: RouterContext, model: string) {
  const { requestTimeoutMs = 0 } = t.limits;
  const withinMs = waits.returns.withinMs + Math.min(requestTimeoutMs, LONGEST_DEADLINE_MS);
  const send = async () => (await provoke(t, complete(), { model, inAnyCase: true })).exchange;
  const last = await retry(t, within('returns', withinMs), send, isSuccess);
  const atEngines = await t.backend.totals();
  return { last, inFlight: atEngines.reduce((sum, engine) => sum + engine.inFlight, 0) };
}
