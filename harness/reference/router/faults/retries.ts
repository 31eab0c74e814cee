/** Sessions that go on when they must stop, and stop when they must go on. */

import { type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { unless, faultTable } from './answering.ts';

const ID = 'router.retry-behaviour';

const onPair = ({ model }: RequestContext): boolean => model === 'scripted-pair';
const onProvider = ({ model }: RequestContext): boolean => model === 'scripted-provider';

/** Goes on after a code that must end the session. */
function goingOn(code: string, where: (context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    stops: (said, context) => rules.stops(said, context) && !(said === code && where(context)),
  });
}

/** Ends the session at a code that must not end it. */
function stoppingAt(code: string, where: (context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    stops: (said, context) => rules.stops(said, context) || (said === code && where(context)),
  });
}

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';
const isNoStream = (context: RequestContext): boolean => isChat(context) && !context.stream;

export const retryFaults = [
  ...faultTable({
    'router.retry-behaviour.context-length-stops': {
      'context-length-tried-elsewhere': goingOn('context_length_exceeded', onPair),
      'server-errors-tried-elsewhere-whatever-they-say': {
        says: 'Tries another agent after any 5xx of an engine, before it looks at its type.',
        besides: [
          'router.retry-behaviour.invalid-parameter-stops',
          'router.retry-behaviour.terminal-skips-provider',
        ],
        patch: unless(
          'stops',
          (_code, context) => isChat(context) && (context.engineError?.status ?? 0) >= 500,
          false,
        ),
      },
    },
    'router.retry-behaviour.invalid-parameter-stops': {
      'invalid-parameter-tried-elsewhere': goingOn('invalid_parameter', onPair),
    },
    'router.retry-behaviour.token-limit-stops': {
      'overrun-tried-elsewhere': {
        says: 'Tries another agent after a completion overran the daily budget.',
        patch: goingOn('token_limit_exceeded', onPair),
      },
    },
    'router.retry-behaviour.terminal-skips-provider': {
      'invalid-parameter-tried-by-the-provider': goingOn('invalid_parameter', onProvider),
      'context-length-tried-by-the-provider': goingOn('context_length_exceeded', onProvider),
    },
    'router.retry-behaviour.stale-connection-redialled': {
      'no-redial': {
        says: 'Gives a stale connection no second chance, and takes its agent for lost.',
        patch: () => ({ redials: () => 0 }),
      },
      'redial-for-the-next-request': (rules) => {
        let found = false;
        return {
          redials: (context) => {
            if (context.model !== 'scripted-chat') return rules.redials(context);
            found = !found;
            return found ? 0 : rules.redials(context);
          },
        };
      },
    },
    'router.retry-behaviour.retry-after-unavailable': {
      // A drop is unavailable too; what the engine said tells the two apart.
      'unavailable-not-tried-elsewhere': stoppingAt(
        'backend_unavailable',
        (context) => context.engineError?.status === 503 && onPair(context) && isNoStream(context),
      ),
      'every-second-failure-not-tried-elsewhere': (rules) => {
        let failures = 0;
        const counted = new WeakSet<RequestContext>();
        return {
          stops: (code, context) => {
            const isFirst =
              code === 'backend_unavailable' && onPair(context) && isNoStream(context);
            if (rules.stops(code, context) || !isFirst || counted.has(context)) {
              return rules.stops(code, context);
            }
            counted.add(context);
            failures += 1;
            return failures % 2 === 0;
          },
        };
      },
    },
    'router.retry-behaviour.retry-after-backend-error': {
      'backend-error-not-tried-elsewhere': stoppingAt(
        'backend_error',
        (context) => onPair(context) && isNoStream(context),
      ),
      'streams-not-tried-elsewhere-after-backend-error': stoppingAt(
        'backend_error',
        (context) => onPair(context) && isChat(context) && context.stream,
      ),
    },
    'router.retry-behaviour.retry-after-drop': {
      'drop-not-tried-elsewhere': {
        says: 'Ends a session when the connection to an engine is lost.',
        patch: (rules) => ({
          lostCode: (refused, context) =>
            refused ? rules.lostCode(refused, context) : 'engine_lost',
          stops: (code, context) =>
            rules.stops(code, context) ||
            (code === 'engine_lost' && onPair(context) && isNoStream(context)),
          finalFailure: (journey, context) => known(rules.finalFailure(journey, context)),
          statusOf: (failure, context) => rules.statusOf(known(failure), context),
          sourceOf: (failure, context) => rules.sourceOf(known(failure), context),
          envelope: (failure, source, context) => rules.envelope(known(failure), source, context),
        }),
      },
    },
    'router.retry-behaviour.retry-on-proxy': {
      'messages-not-tried-elsewhere': {
        says: 'Ends a session on the messages route with the first engine that is lost.',
        patch: stoppingAt(
          'backend_unavailable',
          (context) => onPair(context) && context.path === '/v1/messages',
        ),
      },
    },
    'router.streaming.retried-before-start': {
      'streams-not-tried-elsewhere': {
        says: 'Ends a session with the first failure when a stream was asked for.',
        besides: [
          'router.retry-behaviour.retry-after-unavailable',
          'router.retry-behaviour.retry-after-backend-error',
          'router.retry-behaviour.retry-after-drop',
        ],
        patch: unless('stops', (_code, context) => onPair(context) && context.stream, true),
      },
    },
    'router.retry-behaviour.proxied-code-stops': {
      'proxied-codes-stop-nothing': unless(
        'stops',
        (_code, context) => !isChat(context) && onPair(context),
        false,
      ),
    },
    'router.retry-behaviour.retry-other-agent': {
      'failed-agent-tried-again': () => ({ avoids: () => false }),
    },
    'router.retry-behaviour.tries-bounded': {
      'tries-unbounded': {
        says: 'Goes on trying beyond what a step allows.',
        patch: (rules) => ({
          mayTry: (step, tries, context) => tries < (onPair(context) ? 7 : step.maxTries),
          avoids: (failed, agent, context) =>
            rules.avoids(failed, agent, context) && failed.size < 2,
        }),
      },
      'one-try-alone': {
        says: 'Tries one agent of a step alone.',
        besides: [
          'router.retry-behaviour.retry-after-unavailable',
          'router.retry-behaviour.retry-after-backend-error',
          'router.retry-behaviour.retry-after-drop',
          'router.retry-behaviour.retry-on-proxy',
          'router.streaming.retried-before-start',
        ],
        patch: () => ({ mayTry: (_step, tries) => tries < 1 }),
      },
    },
    'router.retry-behaviour.fallback-step': {
      'no-further-step': {
        says: 'Ends the chain after its first step.',
        besides: ['router.retry-behaviour.failed-step-advances'],
        patch: () => ({ advances: () => false }),
      },
    },
    'router.retry-behaviour.fallback-step-on-proxy': {
      'no-further-step-on-messages': unless(
        'advances',
        (_step, _journey, context) => context.path === '/v1/messages',
        false,
      ),
    },
    'router.retry-behaviour.provider-fallback': {
      'provider-never-asked': () => ({ asksProvider: () => false }),
    },
    'router.retry-behaviour.provider-failure': {
      'provider-failure-is-unavailable': () => ({
        providerFailure: (text) => new RouterFailure('backend_unavailable', text),
      }),
      'provider-400-is-invalid-parameter': unless(
        'providerFailure',
        (text) => text.includes('400'),
        (text) => new RouterFailure('invalid_parameter', text, { source: 'backend' }),
      ),
    },
    'router.retry-behaviour.final-outcome': {
      'exhausted-session-is-backend-error': unless(
        'finalFailure',
        (journey, context) =>
          onPair(context) && journey.failures.at(-1)?.code === 'backend_unavailable',
        () => new RouterFailure('backend_error', 'nobody served', { source: 'backend' }),
      ),
    },
    'router.retry-behaviour.full-model-queue': {
      'full-model-queue-is-queue-full': unless(
        'finalFailure',
        (journey) => journey.full,
        () => new RouterFailure('queue_full', 'the queue of the model is full'),
      ),
    },
  }),
  ...(
    [
      ['streams', 'a stream', ({ stream }) => stream],
      ['messages', 'the messages route', ({ path }) => path === '/v1/messages'],
    ] as const satisfies readonly (readonly [
      string,
      string,
      (context: RequestContext) => boolean,
    ])[]
  ).flatMap(([kind, what, isMeant]) =>
    faultTable({
      [`${ID}.stale-connection-redialled`]: {
        [`no-redial-for-${kind}`]: {
          says: `Gives a stale connection no second chance for ${what}.`,
          patch: unless('redials', (context) => isMeant(context), 0),
        },
      },
    }),
  ),
];

/** A code of this fault alone must not be seen by anybody. */
function known(failure: RouterFailure): RouterFailure {
  return failure.code === 'engine_lost'
    ? new RouterFailure('backend_unavailable', failure.message)
    : failure;
}
