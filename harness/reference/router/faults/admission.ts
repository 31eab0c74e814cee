/** Admission limits, queues and deadlines that are not enforced, or at the wrong time or for some requests only. */

import { type RequestContext, RouterFailure } from '../model.ts';
import {
  amend,
  answering,
  asStream,
  before,
  chained,
  every,
  fails,
  faultTable,
  forces,
  on,
  refusal,
  rows,
  replace,
  type RequestTest,
  withCode,
  each,
  gathered,
} from './words.ts';
import { keeping, kinds, late, without } from './words-limits.ts';

/** A request that has been in admission for this many milliseconds counts as parked. */
const PARKED_MS = 25;

/** Requests that are sent together come within this many milliseconds. */
const TOGETHER_MS = 8;

/** Refusals of a model's limit look like those of a serverless key. */
const asRates = gathered(
  [
    ['inflight', 'scripted-inflight', 'inflight-over'],
    ['shed', 'scripted-shed', 'shed-refused'],
  ],
  ([limit, model, slug]) => ({
    [`${slug}: ${limit}-refused-as-rate-limit`]: answering(
      every(on({ model }), withCode('concurrency_limit_exceeded')),
      (reply) => refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' }),
    ),
  }),
);

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
    (context) => where(context) && context.model === 'scripted-slot',
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
  'occupancy-over: occupancy-refused-as-no-capacity': answering(
    every(on({ model: 'scripted-occupancy' }), withCode('concurrency_limit_exceeded')),
    (reply) => refusal(reply, 503, 'no_capacity'),
  ),
  ...each.forces('capacity', (_holding, configured) => configured + 1, {
    'inflight-over + inflight-over-reaches-no-engine: inflight-one-more': (holding) =>
      holding === 'inflight',
    'slots-full + slots-full-reaches-no-engine: slots-one-more': (holding) => holding === 'slot',
  }),
  ...gathered(['inflight', 'occupancy'], (limit) => ({
    [`${limit}-over: ${limit}-refused-as-no-capacity-on-messages`]: answering(
      every(
        on({ model: `scripted-${limit}`, path: '/v1/messages' }),
        withCode('concurrency_limit_exceeded'),
      ),
      (reply) => refusal(reply, 503, 'no_capacity'),
    ),
  })),
  'slots-full: slots-full-is-over-concurrency-on-messages': answering(
    every(on({ model: 'scripted-slot', path: '/v1/messages' }), withCode('no_capacity')),
    (reply) => refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
  ),
  'inflight-over: parks-until-the-deadline': () => ({ parkMs: () => 60_000 }),
  'inflight-over: parks-for-seconds': () => ({ parkMs: () => 2_500 }),
  'inflight-over-reaches-no-engine: place-back-twice-after-error': amend(
    'release',
    (_released, holding, ending, free) => {
      if (holding === 'inflight' && ending === 'failed') free();
    },
  ),
  'inflight-over-reaches-no-engine: parked-place-back-twice': (rules) => {
    const parkedFrom = new WeakMap<RequestContext, number>();
    const parked = new WeakSet<RequestContext>();
    return chained(
      before('parkMs', (_limits, context) => parkedFrom.set(context, performance.now())),
      before('queueFullMs', (_limits, context) => {
        const from = parkedFrom.get(context) ?? Infinity;
        if (performance.now() - from > PARKED_MS) parked.add(context);
      }),
      amend('release', (_released, holding, _ending, free, context) => {
        if (holding === 'inflight' && parked.has(context)) free();
      }),
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
    'inflight-not-early + occupancy-not-early: streams-never-park': on({ stream: true }),
    'inflight-not-early: messages-never-park': on({ path: '/v1/messages' }),
    'occupancy-not-early + occupancy-parked: occupancy-never-parks': on({
      model: 'scripted-occupancy',
    }),
  }),
  'inflight-not-early: parks-for-a-tenth-of-the-time': amend('parkMs', (ms) => ms / 10),
  'occupancy-under: occupancy-counts-requests-whole': () => ({
    occupancy: (_weight, budget) => budget,
  }),
  ...each.forces('sheds', false, {
    'shed-refused: shed-never-for-streams': on({ stream: true }),
    'shed-refused: shed-never-with-the-newer-limit-of-output': (_model, _pressure, { body }) =>
      body?.['max_completion_tokens'] !== undefined,
    'shed-reaches-no-engine: sheds-nothing-on-messages': on({ path: '/v1/messages' }),
  }),
  'shed-under-threshold: sheds-always': () => ({ sheds: () => true }),
  ...rows(
    (where) =>
      late(
        'sheds',
        true,
        (reply) => refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
        where,
      ),
    {
      'shed-reaches-no-engine: sheds-late': () => true,
      'shed-reaches-no-engine: sheds-streams-late': asStream,
    },
  ),
  'slots-full-reaches-no-engine: slot-back-twice-after-error': amend(
    'release',
    (_released, holding, ending, free, { model }) => {
      if (holding === 'slot' && ending === 'failed' && model === 'scripted-slot') free();
    },
  ),
  'queue-full: full-channel-refused-as-invalid': answering(
    every(on({ path: '/v1/chat/completions' }), withCode('queue_full')),
    (reply) => refusal(reply, 400, 'request_invalid'),
  ),
  'queue-full: full-channel-refused-as-limit-in-flight': answering(
    every(on({ path: '/v1/chat/completions' }), withCode('queue_full')),
    (reply) => refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
  ),
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
  'timeout-at-engine: deadline-ends-with-the-head': forces(
    'deadlineAt',
    'stops',
    (moment) => moment === 'head',
  ),
  // Reads an error that its engine never ends for as long as the client waits.
  'timeout-at-engine: errors-outlast-the-deadline': chained(
    replace('endOfEngineWork', () => new AbortController().signal),
    replace('endOfErrorBody', () => new AbortController().signal),
  ),
  'timeout-at-engine: no-deadline-for-streams-on-messages': forces(
    'deadlineAt',
    'stops',
    (moment, context) =>
      moment === 'processor' && on({ path: '/v1/messages', stream: true })(context),
  ),
  ...each.forces('deadlineAt', 'restarts', {
    'timeout-at-engine: deadline-is-that-of-each-try': (moment) => moment === 'failed-try',
    'timeout-at-engine: deadline-is-that-of-each-step': (moment) => moment === 'next-step',
    'timeout-at-engine: deadline-starts-anew-at-the-provider': (moment) => moment === 'provider',
    // Counts the deadline from the moment when a processor takes the request.
    'processors-busy: processor-starts-the-clock': (moment) => moment === 'processor',
  }),
  'timeout-at-engine: deadline-after-a-failed-try-shows-the-failure': (rules) => {
    const failed = new WeakSet<RequestContext>();
    return chained(
      before('deadlineAt', (moment, context) => {
        if (moment === 'failed-try') failed.add(context);
      }),
      forces(
        'timeout',
        () => new RouterFailure('backend_unavailable', 'overloaded', { source: 'backend' }),
        (stage, context) => stage === 'agent' && failed.has(context),
      ),
    )(rules);
  },
  'timeout-at-engine: deadline-a-sixth-longer': amend('deadlineMs', (ms) => (7 / 6) * ms),
  'timeout-not-early: deadline-at-half-time': amend('deadlineMs', (ms) => ms / 2),
  'timeout-before-provider: deadline-before-provider-is-backend-error': answering(
    every(on({ model: 'scripted-provider' }), withCode('request_timeout')),
    (reply) => refusal(reply, 502, 'backend_error'),
  ),
  'timeout-in-queue + slots-full + router.retry-behaviour.full-model-queue: deadline-in-queue-is-backend-error':
    chained(
      (rules) => ({ ...rules, mayWait: () => true }),
      answering(every(on({ model: 'scripted-slot' }), withCode('request_timeout')), (reply) =>
        refusal(reply, 502, 'backend_error'),
      ),
    ),
  'timeout-at-processors: deadline-unseen-before-a-processor': () => ({
    endOfWaiting: () => new AbortController().signal,
  }),
  ...asRates,
  ...byKind,
  ...withoutOutput,
});
