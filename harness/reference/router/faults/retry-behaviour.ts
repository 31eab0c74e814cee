/** Sessions that continue when they must stop, or stop when they must continue. */

import { type RequestContext, RouterFailure } from '../model.ts';

import {
  after,
  amend,
  before,
  chained,
  faultTable,
  forces,
  nowAndThen,
  on,
  onChat,
  onMessages,
  onPair,
  type Patch,
  each,
  gathered,
  replace,
} from './words.ts';
import { goingOn, kinds } from './words-limits.ts';

const notTried = (status: number) =>
  forces('stops', true, (code, context) => code === 'backend_error' && after(status)(context));

/** A code ends the session although it must not. */
function stoppingAt(code: string, where: (context: RequestContext) => boolean): Patch {
  return forces('stops', true, (said, context) => said === code && where(context));
}

const onOverflow = on({ model: 'scripted-overflow' });

const isNoStream = on({ path: '/v1/chat/completions', stream: false });

/** Hides the internal code of this fault from clients. */
function known(failure: RouterFailure): RouterFailure {
  return failure.code === 'engine_lost'
    ? new RouterFailure('backend_unavailable', failure.message)
    : failure;
}

/** A code that must end the session does not, after one engine status, with or without a recognized type. */
const goesOn = gathered(
  [
    ['untyped', 400, 'invalid_parameter', 'invalid-parameter-stops'],
    ['typed', 404, 'invalid_parameter', 'invalid-parameter-stops'],
  ],
  ([kind, status, code, aim]) => ({
    [`${aim} + terminal-skips-provider: ${kind}-${status}-tried-elsewhere`]: (rules) => ({
      stops: (said, context) => {
        const type = rules.knownType(context.engineError?.json, context);
        const isMeant = said === code && (type !== undefined) === (kind === 'typed');
        return rules.stops(said, context) && !(isMeant && after(status)(context));
      },
    }),
  }),
);

export const retryBehaviourFaults = faultTable('router.retry-behaviour', {
  'context-length-stops: context-length-tried-elsewhere-for-streams': goingOn(
    'context_length_exceeded',
    on({ model: 'scripted-pair', stream: true }),
  ),
  'context-length-stops: context-length-advances-to-the-next-step': goingOn(
    'context_length_exceeded',
    onOverflow,
  ),
  'invalid-parameter-stops: invalid-parameter-advances-to-the-next-step': goingOn(
    'invalid_parameter',
    onOverflow,
  ),
  ...each.forces('stops', false, {
    'context-length-stops + invalid-parameter-stops + terminal-skips-provider: server-errors-tried-elsewhere-whatever-they-say':
      (_code, context) => onChat(context) && (context.engineError?.status ?? 0) >= 500,
    'proxied-code-stops: proxied-codes-stop-nothing': (_code, context) =>
      !onChat(context) && onPair(context),
  }),
  'context-length-stops + invalid-parameter-stops: errors-after-a-failure-end-as-no-agents': (
    rules,
  ) => {
    const failed = new WeakSet<RequestContext>();
    return chained(
      forces('stops', false, (_code, context) => {
        const isSecond = failed.has(context);
        failed.add(context);
        return isSecond;
      }),
      forces(
        'finalFailure',
        () => new RouterFailure('no_agents_available', 'nobody served'),
        ({ failures }) => failures.length > 1,
      ),
    )(rules);
  },
  'context-length-stops + invalid-parameter-stops: types-not-read-after-a-failure': (rules) => {
    const failed = new WeakSet<RequestContext>();
    return forces('knownType', undefined, (_json, context) => {
      const isSecond = failed.has(context);
      failed.add(context);
      return isSecond;
    })(rules);
  },
  ...each.forces('advances', false, {
    'fallback-step: no-further-step-for-streams': on({ stream: true }),
    'full-step-advances: full-step-ends-the-chain': (_index, { full }) => full,
    'failed-step-advances: failed-step-ends-the-chain': (_index, { failures }) =>
      failures.length > 0,
    'failed-step-advances: lost-stream-ends-the-chain': (_index, { failures }, context) =>
      context.stream && failures.length > 0 && context.engineError === undefined,
    'fallback-step-on-proxy: no-further-step-on-messages': on({ path: '/v1/messages' }),
  }),
  'failed-step-advances: tries-shared-by-steps': (rules) => {
    const failed = new WeakMap<RequestContext, number>();
    return chained(
      replace('mayTry', (original, step, _tries, context) =>
        original(step, failed.get(context) ?? 0, context),
      ),
      before('deadlineAt', (moment, context) => {
        if (moment === 'failed-try') failed.set(context, (failed.get(context) ?? 0) + 1);
      }),
    )(rules);
  },
  'fallback-step + failed-step-advances: no-further-step': () => ({ advances: () => false }),
  'final-outcome: exhausted-session-is-backend-error-for-streams': amend(
    'finalFailure',
    (failure, _journey, context) =>
      context.stream && context.model === 'scripted-pair' && failure.code === 'backend_unavailable'
        ? new RouterFailure('backend_error', failure.message, { source: 'backend' })
        : failure,
  ),
  'final-outcome: exhausted-session-is-backend-error': forces(
    'finalFailure',
    () => new RouterFailure('backend_error', 'nobody served', { source: 'backend' }),
    (journey, context) =>
      onPair(context) && journey.failures.at(-1)?.code === 'backend_unavailable',
  ),
  'retry-after-backend-error: engine-409-not-tried-elsewhere': notTried(409),
  'retry-after-backend-error: engine-502-not-tried-elsewhere': notTried(502),
  'retry-after-backend-error: streams-not-tried-elsewhere-after-backend-error': stoppingAt(
    'backend_error',
    on({ model: 'scripted-pair', path: '/v1/chat/completions', stream: true }),
  ),
  'more-agents-than-tries: max-tries-ignored': () => ({ mayTry: () => true }),
  'more-agents-than-tries: max-tries-ignored-on-messages': forces(
    'mayTry',
    true,
    (_step, _tries, context) => onMessages(context),
  ),
  'redial-is-free: redial-costs-the-only-try': forces(
    'redials',
    0,
    on({ model: 'scripted-bounded' }),
  ),
  'retry-on-proxy: messages-drop-not-tried-elsewhere': forces(
    'stops',
    true,
    (code, context) =>
      code === 'backend_unavailable' && onMessages(context) && context.model === 'scripted-pair',
  ),
  'retry-on-proxy: messages-not-tried-elsewhere': stoppingAt(
    'backend_unavailable',
    on({ model: 'scripted-pair', path: '/v1/messages' }),
  ),
  'token-limit-stops: overrun-tried-elsewhere': goingOn('token_limit_exceeded', onPair),
  'stale-connection-redialled: redial-for-the-next-request': (rules) => {
    let found = false;
    return forces(
      'redials',
      0,
      ({ model }) => model === 'scripted-chat' && (found = !found),
    )(rules);
  },
  // A dropped connection has the same code. Only the engine's status tells the two apart.
  'retry-after-unavailable: unavailable-not-tried-elsewhere': stoppingAt(
    'backend_unavailable',
    (context) => context.engineError?.status === 503 && onPair(context) && isNoStream(context),
  ),
  'retry-after-unavailable: every-second-failure-not-tried-elsewhere': nowAndThen(2, (isDue) => {
    const counted = new WeakSet<RequestContext>();
    return amend('stops', (ends, code, context) => {
      const isFirst = code === 'backend_unavailable' && onPair(context) && isNoStream(context);
      if (ends || !isFirst || counted.has(context)) return ends;
      counted.add(context);
      return isDue();
    });
  }),
  'retry-after-drop: drop-not-tried-elsewhere': (rules) => ({
    lostCode: (refused, context) => (refused ? rules.lostCode(refused, context) : 'engine_lost'),
    stops: (code, context) =>
      rules.stops(code, context) ||
      (code === 'engine_lost' && onPair(context) && isNoStream(context)),
    finalFailure: (journey, context) => known(rules.finalFailure(journey, context)),
    statusOf: (failure, context) => rules.statusOf(known(failure), context),
    sourceOf: (failure, context) => rules.sourceOf(known(failure), context),
    envelope: (failure, source, context) => rules.envelope(known(failure), source, context),
  }),
  'retry-other-agent: failed-agent-tried-again': () => ({ avoids: () => false }),
  'retry-other-agent: agents-take-turns-whoever-failed': (rules) => {
    let [turn, due] = [0, ''];
    return chained(
      before('mayTry', ({ agents }, _tries, context) => {
        if (!onPair(context)) return;
        turn += 1;
        due = agents[turn % agents.length] ?? '';
      }),
      replace('avoids', (original, failed, agent, context) =>
        onPair(context) ? agent !== due : original(failed, agent, context),
      ),
    )(rules);
  },
  'tries-bounded: tries-unbounded': (rules) => ({
    mayTry: (step, tries, context) => tries < (onPair(context) ? 7 : step.maxTries),
    avoids: (failed, agent, context) => rules.avoids(failed, agent, context) && failed.size < 2,
  }),
  'tries-bounded + retry-after-unavailable + retry-after-backend-error + retry-after-drop + retry-on-proxy + router.streaming.retried-before-start: one-try-alone':
    () => ({ mayTry: (_step, tries) => tries < 1 }),
  'full-model-queue: full-model-queue-is-queue-full': forces(
    'finalFailure',
    () => new RouterFailure('queue_full', 'the queue of the model is full'),
    (journey) => journey.full,
  ),
  'router.rate-limit-rules.request-costs-one: each-try-takes-a-request': (rules) => {
    let owed = 0;
    return chained(
      before('mayTry', (_step, tries, { key }) => {
        if (tries > 0 && key?.name === 'requestsPerMinute') owed += 1;
      }),
      amend('requestCost', (cost, { key }) => {
        if (key?.name !== 'requestsPerMinute') return cost;
        const all = cost + owed;
        owed = 0;
        return all;
      }),
    )(rules);
  },
  ...goesOn,
  ...gathered(kinds, ([kind, isMeant]) => ({
    [`stale-connection-redialled: no-redial-for-${kind}`]: forces('redials', 0, isMeant),
  })),
});
