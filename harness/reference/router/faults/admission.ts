/** Admission limits, queues and deadlines that are not enforced, or at the wrong time or for some requests only. */

import { type RequestContext, RouterFailure } from '../model.ts';
import {
  always,
  amend,
  answering,
  answers,
  asStream,
  before,
  chained,
  CHAT,
  each,
  fails,
  faultTable,
  forces,
  gathered,
  kinds,
  MESSAGES,
  on,
  once,
  onMessages,
  refusal,
  refused,
  replace,
  type RequestTest,
  RETRY_AFTER,
  rows,
} from './words.ts';
import { keeping, late, without } from './words-limits.ts';

/** A request that has been in admission for this many milliseconds counts as parked. */
const PARKED_MS = 25;

/** Requests that are sent together come within this many milliseconds. */
const TOGETHER_MS = 8;

const SLOT = 'scripted-slot';
const OCCUPANCY = 'scripted-occupancy';
const FULL = 'concurrency_limit_exceeded';

/** Refusals of a model's limit look like those of a serverless key. */
const asRates = answers((reply) => refusal(reply, 'rate_limit_exceeded', { [RETRY_AFTER]: '1' }), {
  'inflight-over: inflight-refused-as-rate-limit': on({ code: FULL, model: 'scripted-inflight' }),
  'shed-refused: shed-refused-as-rate-limit': on({ code: FULL, model: 'scripted-shed' }),
});

const byKind = gathered(kinds, ([slug, where]) => ({
  [`inflight-over-reaches-no-engine${slug === 'streams' ? ' + inflight-over' : ''}: inflight-unlimited-for-${slug}`]:
    without('inflight', where),
  [`occupancy-${slug === 'messages' ? 'on-messages' : 'over'}: occupancy-unlimited-for-${slug}`]:
    without('occupancy', where),
  [`slots-full + slots-full-reaches-no-engine: slots-unlimited-for-${slug}`]: without(
    'slot',
    where,
  ),
  [`slot-back-after-success: slot-leaks-after-success-of-${slug}`]: keeping(
    'slot',
    'success',
    (context) => where(context) && context.model === SLOT,
  ),
  [`inflight-back-after-success: inflight-leaks-after-success-of-${slug}`]: keeping(
    'inflight',
    'success',
    where,
  ),
  [`timeout-at-engine: deadline-is-backend-error-for-${slug}`]: forces(
    'timeout',
    () => new RouterFailure('backend_error', 'too late', { source: 'router', status: 502 }),
    (stage, context) => stage === 'agent' && where(context),
  ),
}));

const withoutOutput = gathered(['rerank', 'messages/count_tokens'], (route) => {
  const where: RequestTest = ({ path }) => path === `/v1/${route}`;
  return {
    [`timeout-at-engine: no-deadline-for-${route.replace('messages/count_tokens', 'count-tokens')}`]:
      replace(
        'deadlineMs',
        (original, limits, context) => original(limits, context) * (where(context) ? 100 : 1),
      ),
  };
});

export const admissionFaults = faultTable('router.admission', {
  ...refused('no_capacity', {
    'occupancy-over: occupancy-refused-as-no-capacity': on({ code: FULL, model: OCCUPANCY }),
    'inflight-over: inflight-refused-as-no-capacity-on-messages': on({
      code: FULL,
      model: 'scripted-inflight',
      path: MESSAGES,
    }),
    'occupancy-over: occupancy-refused-as-no-capacity-on-messages': on({
      code: FULL,
      model: OCCUPANCY,
      path: MESSAGES,
    }),
  }),
  ...refused(FULL, {
    'slots-full: slots-full-is-over-concurrency-on-messages': on({
      code: 'no_capacity',
      model: SLOT,
      path: MESSAGES,
    }),
    'queue-full: full-channel-refused-as-limit-in-flight': on({ code: 'queue_full', path: CHAT }),
  }),
  ...refused('request_invalid', {
    'queue-full: full-channel-refused-as-invalid': on({ code: 'queue_full', path: CHAT }),
  }),
  ...refused('backend_error', {
    'timeout-before-provider: deadline-before-provider-is-backend-error': on({
      code: 'request_timeout',
      model: 'scripted-provider',
    }),
  }),
  ...each.forces('capacity', (_holding, configured) => configured + 1, {
    'inflight-over + inflight-over-reaches-no-engine: inflight-one-more': (holding) =>
      holding === 'inflight',
    'slots-full + slots-full-reaches-no-engine: slots-one-more': (holding) => holding === 'slot',
  }),
  'inflight-over: parks-until-the-deadline': () => ({ parkMs: () => 60_000 }),
  'inflight-over: parks-for-seconds': () => ({ parkMs: () => 2_500 }),
  ...each.amend('release', {
    'inflight-over-reaches-no-engine: place-back-twice-after-error': (_, holding, ending, free) => {
      if (holding === 'inflight' && ending === 'failed') free();
    },
    'slots-full-reaches-no-engine: slot-back-twice-after-error': (
      _,
      holding,
      ending,
      free,
      { model },
    ) => {
      if (holding === 'slot' && ending === 'failed' && model === SLOT) free();
    },
  }),
  'inflight-over-reaches-no-engine: parked-place-back-twice': (rules) => {
    const parkedFrom = new WeakMap<RequestContext, number>();
    const parkedMs = (context: RequestContext) =>
      performance.now() - (parkedFrom.get(context) ?? Infinity);
    return chained(
      before('parkMs', (_limits, context) => parkedFrom.set(context, performance.now())),
      once(
        'queueFullMs',
        (_limits, context) => parkedMs(context) > PARKED_MS,
        (wasParked) =>
          amend('release', (_released, holding, _ending, free, context) => {
            if (holding === 'inflight' && wasParked(context)) free();
          }),
      ),
    )(rules);
  },
  'inflight-over-reaches-no-engine: place-counts-a-moment-later': (rules) => {
    let takenAt: number | undefined;
    return chained(
      before('release', (holding) => {
        if (holding === 'inflight') takenAt = undefined;
      }),
      forces('limited', false, (what) => {
        if (what !== 'inflight') return false;
        const sinceMs = performance.now() - (takenAt ?? -Infinity);
        takenAt ??= performance.now();
        return sinceMs < TOGETHER_MS;
      }),
    )(rules);
  },
  'inflight-at: inflight-one-less': fails(
    'capable',
    () => new RouterFailure('concurrency_limit_exceeded', 'too many at once'),
    (model, _route, context) => model.maxInflight !== undefined && context.sequence % 2 === 0,
  ),
  'inflight-parked + inflight-not-early: nobody-parks': () => ({ parkMs: () => 0 }),
  ...each.forces('parkMs', 0, {
    'inflight-not-early + occupancy-not-early: streams-never-park': asStream,
    'inflight-not-early: messages-never-park': onMessages,
    'occupancy-not-early + occupancy-parked: occupancy-never-parks': on({ model: OCCUPANCY }),
  }),
  'inflight-not-early: parks-for-a-tenth-of-the-time': amend('parkMs', (ms) => ms / 10),
  'occupancy-under: occupancy-counts-requests-whole': () => ({
    occupancy: (_weight, budget) => budget,
  }),
  ...each.forces('sheds', false, {
    'shed-refused: shed-never-for-streams': asStream,
    'shed-refused: shed-never-with-the-newer-limit-of-output': (_model, _pressure, { body }) =>
      body?.['max_completion_tokens'] !== undefined,
    'shed-reaches-no-engine: sheds-nothing-on-messages': onMessages,
  }),
  'shed-under-threshold: sheds-always': () => ({ sheds: () => true }),
  ...rows((where) => late('sheds', true, FULL, where), {
    'shed-reaches-no-engine: sheds-late': always,
    'shed-reaches-no-engine: sheds-streams-late': asStream,
  }),
  'queue-size: channel-half-as-large': () => ({
    channelSize: (configured) => Math.floor(configured / 2),
  }),
  'queue-full-waits: full-channel-refuses-at-once': () => ({ queueFullMs: () => 0 }),
  'queue-bounded: full-channel-waits-to-the-deadline': () => ({ queueFullMs: () => 60_000 }),
  'queue-full: full-channel-refuses-after-seven-seconds': chained(
    () => ({ queueFullMs: () => 7_000 }),
    // Keeps the deadline from coming first.
    amend('deadlineMs', (ms, _limits, { stream }) => (stream ? 1.5 * ms : ms)),
  ),
  'queue-full-waits: full-channel-refuses-after-a-second': () => ({ queueFullMs: () => 1_000 }),
  'queue-full-waits: room-in-the-channel-stops-no-timer': (rules) => {
    const from = new WeakMap<RequestContext, number>();
    return chained(
      before('queueFullMs', (_limits, context) => from.set(context, performance.now())),
      replace('endOfWaiting', (original, signal, context) => {
        const waitedMs = performance.now() - (from.get(context) ?? Infinity);
        if (waitedMs < PARKED_MS) return original(signal, context);
        const full = new AbortController();
        const end = () => full.abort(new RouterFailure('queue_full', 'the channel was full'));
        setTimeout(end, 5_000 - waitedMs);
        return AbortSignal.any([original(signal, context), full.signal]);
      }),
    )(rules);
  },
  ...each.forces('deadlineAt', 'stops', {
    'timeout-at-engine: deadline-ends-with-the-head': (moment) => moment === 'head',
    'timeout-at-engine: no-deadline-for-streams-on-messages': (moment, context) =>
      moment === 'processor' && onMessages(context) && asStream(context),
  }),
  // Reads an error that its engine never ends for as long as the client waits.
  'timeout-at-engine: errors-outlast-the-deadline': chained(
    replace('endOfEngineWork', () => new AbortController().signal),
    replace('endOfErrorBody', () => new AbortController().signal),
  ),
  ...each.forces('deadlineAt', 'restarts', {
    'timeout-at-engine: deadline-is-that-of-each-try': (moment) => moment === 'failed-try',
    'timeout-at-engine: deadline-is-that-of-each-step': (moment) => moment === 'next-step',
    'timeout-at-engine: deadline-starts-anew-at-the-provider': (moment) => moment === 'provider',
    // Counts the deadline from the moment when a processor takes the request.
    'processors-busy: processor-starts-the-clock': (moment) => moment === 'processor',
  }),
  'timeout-at-engine: deadline-after-a-failed-try-shows-the-failure': once(
    'deadlineAt',
    (moment) => moment === 'failed-try',
    (hasFailed) =>
      forces(
        'timeout',
        () => new RouterFailure('backend_unavailable', 'overloaded', { source: 'backend' }),
        (stage, context) => stage === 'agent' && hasFailed(context),
      ),
  ),
  'timeout-at-engine: deadline-a-sixth-longer': amend('deadlineMs', (ms) => (7 / 6) * ms),
  'timeout-not-early: deadline-at-half-time': amend('deadlineMs', (ms) => ms / 2),
  'timeout-in-queue + slots-full: deadline-in-queue-is-backend-error': chained(
    () => ({ mayWait: () => true }),
    answering(on({ code: 'request_timeout', model: SLOT }), (reply) =>
      refusal(reply, 'backend_error'),
    ),
  ),
  'timeout-at-processors: deadline-unseen-before-a-processor': () => ({
    endOfWaiting: () => new AbortController().signal,
  }),
  ...asRates,
  ...byKind,
  ...withoutOutput,
});
