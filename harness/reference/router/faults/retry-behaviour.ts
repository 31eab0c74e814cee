/** Sessions that continue when they must stop, or stop when they must continue. */

import { type RequestContext, RouterFailure } from '../model.ts';

import {
  after,
  always,
  amend,
  asStream,
  before,
  chained,
  CHAT,
  contextIn,
  each,
  faultTable,
  forces,
  gathered,
  kinds,
  MESSAGES,
  nowAndThen,
  on,
  onChat,
  onMessages,
  onPair,
  type Patch,
  replace,
  type RequestTest,
  rows,
} from './words.ts';
import { goingOn } from './words-limits.ts';

/** A code ends the session although it must not. */
function stoppingAt(code: string, where: (context: RequestContext) => boolean): Patch {
  return forces('stops', true, (said, context) => said === code && where(context));
}

const PAIR = 'scripted-pair';
const isPairedChat = on({ model: PAIR, path: CHAT, stream: false });

/** A condition that holds from the second time on that it is asked of a request. */
function secondTime() {
  const asked = new WeakSet<RequestContext>();
  return (...args: readonly unknown[]): boolean => {
    const context = contextIn(args);
    const isSecond = asked.has(context);
    asked.add(context);
    return isSecond;
  };
}

/** Hides the internal code of this fault from clients. */
function known(failure: RouterFailure): RouterFailure {
  return failure.code === 'engine_lost'
    ? new RouterFailure('backend_unavailable', failure.message)
    : failure;
}

export const retryBehaviourFaults = faultTable('router.retry-behaviour', {
  'context-length-stops: context-length-tried-elsewhere-for-streams': goingOn(
    'context_length_exceeded',
    on({ model: PAIR, stream: true }),
  ),
  ...rows((code: string) => goingOn(code, on({ model: 'scripted-overflow' })), {
    'context-length-stops: context-length-advances-to-the-next-step': 'context_length_exceeded',
    'invalid-parameter-stops: invalid-parameter-advances-to-the-next-step': 'invalid_parameter',
  }),
  ...each.forces('stops', false, {
    'context-length-stops + invalid-parameter-stops + terminal-skips-provider: server-errors-tried-elsewhere-whatever-they-say':
      (_code, context) => onChat(context) && (context.engineError?.status ?? 0) >= 500,
    'proxied-code-stops: proxied-codes-stop-nothing': (_code, context) =>
      !onChat(context) && onPair(context),
  }),
  'context-length-stops + invalid-parameter-stops: errors-after-a-failure-end-as-no-agents': (
    rules,
  ) => {
    return chained(
      forces('stops', false, secondTime()),
      forces(
        'finalFailure',
        () => new RouterFailure('no_agents_available', 'nobody served'),
        ({ failures }) => failures.length > 1,
      ),
    )(rules);
  },
  'context-length-stops + invalid-parameter-stops: types-not-read-after-a-failure': (rules) =>
    forces('knownType', undefined, secondTime())(rules),
  ...each.forces('advances', false, {
    'fallback-step: no-further-step-for-streams': asStream,
    'full-step-advances: full-step-ends-the-chain': (_index, { full }) => full,
    'failed-step-advances: failed-step-ends-the-chain': (_index, { failures }) =>
      failures.length > 0,
    'failed-step-advances: lost-stream-ends-the-chain': (_index, { failures }, context) =>
      context.stream && failures.length > 0 && context.engineError === undefined,
    'fallback-step-on-proxy: no-further-step-on-messages': onMessages,
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
  ...rows((where: RequestTest) => stoppingAt('backend_error', where), {
    'retry-after-backend-error: engine-409-not-tried-elsewhere': after(409),
    'retry-after-backend-error: engine-502-not-tried-elsewhere': after(502),
    'retry-after-backend-error: streams-not-tried-elsewhere-after-backend-error': on({
      model: PAIR,
      path: CHAT,
      stream: true,
    }),
  }),
  ...each.forces('mayTry', true, {
    'more-agents-than-tries: max-tries-ignored': always,
    'more-agents-than-tries: max-tries-ignored-on-messages': onMessages,
  }),
  'redial-is-free: redial-costs-the-only-try': forces(
    'redials',
    0,
    on({ model: 'scripted-bounded' }),
  ),
  ...rows((where: RequestTest) => stoppingAt('backend_unavailable', where), {
    'retry-on-proxy: messages-drop-not-tried-elsewhere': on({ model: PAIR, path: MESSAGES }),
    'retry-on-proxy: messages-not-tried-elsewhere': on({ model: PAIR, path: MESSAGES }),
    // A dropped connection has the same code. Only the engine's status tells the two apart.
    'retry-after-unavailable: unavailable-not-tried-elsewhere': (context) =>
      context.engineError?.status === 503 && isPairedChat(context),
  }),
  'token-limit-stops: overrun-tried-elsewhere': goingOn('token_limit_exceeded', onPair),
  'stale-connection-redialled: redial-for-the-next-request': (rules) => {
    let found = false;
    return forces(
      'redials',
      0,
      ({ model }) => model === 'scripted-chat' && (found = !found),
    )(rules);
  },
  'retry-after-unavailable: every-second-failure-not-tried-elsewhere': nowAndThen(2, (isDue) => {
    const counted = new WeakSet<RequestContext>();
    return amend('stops', (ends, code, context) => {
      const isFirst = code === 'backend_unavailable' && isPairedChat(context);
      if (ends || !isFirst || counted.has(context)) return ends;
      counted.add(context);
      return isDue();
    });
  }),
  'retry-after-drop: drop-not-tried-elsewhere': (rules) => ({
    lostCode: (refused, context) => (refused ? rules.lostCode(refused, context) : 'engine_lost'),
    stops: (code, context) =>
      rules.stops(code, context) || (code === 'engine_lost' && isPairedChat(context)),
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
  // An invalid parameter does not end the session, after one engine status, with or without a recognized type.
  ...gathered(
    [
      ['untyped', 400],
      ['typed', 404],
    ],
    ([kind, status]) => ({
      [`invalid-parameter-stops + terminal-skips-provider: ${kind}-${status}-tried-elsewhere`]: (
        rules,
      ) =>
        goingOn('invalid_parameter', (context) => {
          const type = rules.knownType(context.engineError?.json, context);
          return (type !== undefined) === (kind === 'typed') && after(status)(context);
        })(rules),
    }),
  ),
  'router.endpoints.forwarded-path: further-tries-go-to-chat': (rules) => {
    const failed = new WeakSet<RequestContext>();
    return {
      stops: (code, context) => {
        failed.add(context);
        return rules.stops(code, context);
      },
      forward: (dispatch, context) => {
        const plain = rules.forward(dispatch, context);
        const path = () => (failed.has(context) ? '/v1/chat/completions' : plain.path);
        return Object.defineProperty({ ...plain }, 'path', { get: path });
      },
    };
  },
  ...gathered(kinds, ([kind, isMeant]) => ({
    [`stale-connection-redialled: no-redial-for-${kind}`]: forces('redials', 0, isMeant),
  })),
});
