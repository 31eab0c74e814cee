/** Sessions that go on when they must stop, and stop when they must go on. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';

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

export const retryFaults = declareFaults<RouterRules>([
  {
    name: 'context-length-tried-elsewhere',
    summary: 'Tries another agent after context_length_exceeded.',
    breaks: [`${ID}.context-length-stops`],
    patch: goingOn('context_length_exceeded', onPair),
  },
  {
    name: 'invalid-parameter-tried-elsewhere',
    summary: 'Tries another agent after invalid_parameter.',
    breaks: [`${ID}.invalid-parameter-stops`],
    patch: goingOn('invalid_parameter', onPair),
  },
  {
    name: 'invalid-parameter-tried-by-the-second-agent',
    summary: 'Tries another agent after invalid_parameter when the second agent said it.',
    breaks: [`${ID}.invalid-parameter-stops`],
    patch: (rules) => {
      let said = 0;
      return {
        ...rules,
        stops: (code, context) => {
          if (code !== 'invalid_parameter' || !onPair(context)) return rules.stops(code, context);
          said += 1;
          return said % 3 !== 0;
        },
      };
    },
  },
  {
    name: 'server-errors-tried-elsewhere-whatever-they-say',
    summary: 'Tries another agent after any 5xx of an engine, before it looks at its type.',
    breaks: [
      `${ID}.context-length-stops`,
      `${ID}.invalid-parameter-stops`,
      `${ID}.terminal-skips-provider`,
    ],
    patch: (rules) => {
      let status = 0;
      return {
        ...rules,
        codeOf: (type, said, speaks) => {
          status = said;
          return rules.codeOf(type, said, speaks);
        },
        // Nothing comes between the two for one request.
        stops: (code, context) => status < 500 && rules.stops(code, context),
      };
    },
  },
  {
    name: 'overrun-tried-elsewhere',
    summary: 'Tries another agent after a completion overran the daily budget.',
    breaks: [`${ID}.token-limit-stops`],
    patch: goingOn('token_limit_exceeded', onPair),
  },
  {
    name: 'invalid-parameter-tried-by-the-provider',
    summary: 'Asks the provider after invalid_parameter.',
    breaks: [`${ID}.terminal-skips-provider`],
    patch: goingOn('invalid_parameter', onProvider),
  },
  {
    name: 'context-length-tried-by-the-provider',
    summary: 'Asks the provider after context_length_exceeded.',
    breaks: [`${ID}.terminal-skips-provider`],
    patch: goingOn('context_length_exceeded', onProvider),
  },
  {
    name: 'no-redial',
    summary: 'Gives a stale connection no second chance, and takes its agent for lost.',
    breaks: [`${ID}.stale-connection-redialled`],
    patch: (rules) => ({ ...rules, redials: () => 0 }),
  },
  ...(
    [
      ['streams', 'a stream', ({ stream }) => stream],
      ['messages', 'the messages route', ({ path }) => path === '/v1/messages'],
    ] as const satisfies readonly (readonly [
      string,
      string,
      (context: RequestContext) => boolean,
    ])[]
  ).map(([kind, what, isMeant]): Fault<RouterRules> => ({
    name: `no-redial-for-${kind}`,
    summary: `Gives a stale connection no second chance for ${what}.`,
    breaks: [`${ID}.stale-connection-redialled`],
    patch: (rules) => ({
      ...rules,
      redials: (context) => (isMeant(context) ? 0 : rules.redials(context)),
    }),
  })),
  {
    name: 'redial-for-the-next-request',
    summary:
      'Dials a stale connection again for the next request, and not for the one that found it.',
    breaks: [`${ID}.stale-connection-redialled`],
    patch: (rules) => {
      let found = false;
      return {
        ...rules,
        redials: (context) => {
          if (context.model !== 'scripted-chat') return rules.redials(context);
          found = !found;
          return found ? 0 : rules.redials(context);
        },
      };
    },
  },
  {
    name: 'unavailable-not-tried-elsewhere',
    summary: 'Ends a session with the first backend_unavailable.',
    breaks: [`${ID}.retry-after-unavailable`],
    patch: (rules) => {
      // A drop is unavailable too; what the engine said last tells the two apart.
      const said = new Set<string>();
      return {
        ...rules,
        codeOf: (type, status, context) => {
          const code = rules.codeOf(type, status, context);
          if (status === 503) said.add('503');
          else said.delete('503');
          return code;
        },
        stops: (code, context) => {
          const refused = code === 'backend_unavailable' && said.delete('503');
          return rules.stops(code, context) || (refused && onPair(context) && isNoStream(context));
        },
      };
    },
  },
  {
    name: 'every-second-failure-not-tried-elsewhere',
    summary: 'Ends every second session whose first try failed as unavailable with that failure.',
    breaks: [`${ID}.retry-after-unavailable`],
    patch: (rules) => {
      let failures = 0;
      const counted = new WeakSet<RequestContext>();
      return {
        ...rules,
        stops: (code, context) => {
          const isFirst = code === 'backend_unavailable' && onPair(context) && isNoStream(context);
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
  {
    name: 'backend-error-not-tried-elsewhere',
    summary: 'Ends a session with the first backend_error of a chat completion.',
    breaks: [`${ID}.retry-after-backend-error`],
    patch: stoppingAt('backend_error', (context) => onPair(context) && isNoStream(context)),
  },
  {
    name: 'drop-not-tried-elsewhere',
    summary: 'Ends a session when the connection to an engine is lost.',
    breaks: [`${ID}.retry-after-drop`],
    patch: (rules) => ({
      ...rules,
      lostCode: (refused) => (refused ? rules.lostCode(refused) : 'engine_lost'),
      stops: (code, context) =>
        rules.stops(code, context) ||
        (code === 'engine_lost' && onPair(context) && isNoStream(context)),
      finalFailure: (journey, context) => known(rules.finalFailure(journey, context)),
      statusOf: (failure, context) => rules.statusOf(known(failure), context),
      sourceOf: (failure, context) => rules.sourceOf(known(failure), context),
      envelope: (failure, source, context) => rules.envelope(known(failure), source, context),
    }),
  },
  {
    name: 'messages-not-tried-elsewhere',
    summary: 'Ends a session on the messages route with the first failure of an engine.',
    breaks: [`${ID}.retry-on-proxy`],
    patch: stoppingAt(
      'backend_error',
      (context) => onPair(context) && context.path === '/v1/messages',
    ),
  },
  {
    name: 'streams-not-tried-elsewhere',
    summary: 'Ends a session with the first failure when a stream was asked for.',
    breaks: [
      'router.streaming.retried-before-start',
      `${ID}.retry-after-unavailable`,
      `${ID}.retry-after-backend-error`,
      `${ID}.retry-after-drop`,
    ],
    patch: (rules) => ({
      ...rules,
      stops: (code, context) => rules.stops(code, context) || (onPair(context) && context.stream),
    }),
  },
  {
    name: 'streams-not-tried-elsewhere-after-backend-error',
    summary: 'Ends a session with the first backend_error when a stream was asked for.',
    breaks: [`${ID}.retry-after-backend-error`],
    patch: stoppingAt(
      'backend_error',
      (context) => onPair(context) && isChat(context) && context.stream,
    ),
  },
  {
    name: 'proxied-codes-stop-nothing',
    summary: 'Tries another agent after any code that an envelope on a proxy route names.',
    breaks: [`${ID}.proxied-code-stops`],
    patch: (rules) => ({
      ...rules,
      stops: (code, context) => (isChat(context) || !onPair(context)) && rules.stops(code, context),
    }),
  },
  {
    name: 'failed-agent-tried-again',
    summary: 'Tries an agent again that has failed in the step.',
    breaks: [`${ID}.retry-other-agent`],
    patch: (rules) => ({
      ...rules,
      avoids: () => false,
    }),
  },
  {
    name: 'tries-unbounded',
    summary: 'Goes on trying beyond what a step allows.',
    breaks: [`${ID}.tries-bounded`],
    patch: (rules) => ({
      ...rules,
      mayTry: (step, tries, context) => tries < (onPair(context) ? 7 : step.maxTries),
      avoids: (failed, agent) => rules.avoids(failed, agent) && failed.size < 2,
    }),
  },
  {
    name: 'one-try-alone',
    summary: 'Tries one agent of a step alone.',
    breaks: [
      `${ID}.tries-bounded`,
      `${ID}.retry-after-unavailable`,
      `${ID}.retry-after-backend-error`,
      `${ID}.retry-after-drop`,
      `${ID}.retry-on-proxy`,
      'router.streaming.retried-before-start',
    ],
    patch: (rules) => ({ ...rules, mayTry: (_step, tries) => tries < 1 }),
  },
  {
    name: 'no-further-step',
    summary: 'Ends the chain after its first step.',
    breaks: [`${ID}.fallback-step`, `${ID}.fallback-step-on-proxy`],
    patch: (rules) => ({ ...rules, advances: () => false }),
  },
  {
    name: 'no-further-step-on-messages',
    summary: 'Ends the chain after its first step on the messages route.',
    breaks: [`${ID}.fallback-step-on-proxy`],
    patch: (rules) => ({
      ...rules,
      advances: (step, journey, context) =>
        context.path !== '/v1/messages' && rules.advances(step, journey, context),
    }),
  },
  {
    name: 'provider-never-asked',
    summary: 'Does not ask the provider.',
    breaks: [`${ID}.provider-fallback`],
    patch: (rules) => ({ ...rules, asksProvider: () => false }),
  },
  {
    name: 'provider-failure-is-unavailable',
    summary: 'Says backend_unavailable of a provider that fails.',
    breaks: [`${ID}.provider-failure`],
    patch: (rules) => ({
      ...rules,
      providerFailure: (text) => new RouterFailure('backend_unavailable', text),
    }),
  },
  {
    name: 'provider-400-is-invalid-parameter',
    summary: 'Says invalid_parameter of a provider that answers 400.',
    breaks: [`${ID}.provider-failure`],
    patch: (rules) => ({
      ...rules,
      providerFailure: (text, context) =>
        text.includes('400')
          ? new RouterFailure('invalid_parameter', text, { source: 'backend' })
          : rules.providerFailure(text, context),
    }),
  },
  {
    name: 'exhausted-session-is-backend-error',
    summary: 'Says backend_error when every try failed as unavailable.',
    breaks: [`${ID}.final-outcome`],
    patch: (rules) => ({
      ...rules,
      finalFailure: (journey, context) =>
        onPair(context) && journey.failures.at(-1)?.code === 'backend_unavailable'
          ? new RouterFailure('backend_error', 'nobody served', { source: 'backend' })
          : rules.finalFailure(journey, context),
    }),
  },
  {
    name: 'full-model-queue-is-queue-full',
    summary: 'Says queue_full when the queue of one model is full.',
    breaks: [`${ID}.full-model-queue`],
    patch: (rules) => ({
      ...rules,
      finalFailure: (journey, context) =>
        journey.full
          ? new RouterFailure('queue_full', 'the queue of the model is full')
          : rules.finalFailure(journey, context),
    }),
  },
]);

/** A code of this fault alone must not be seen by anybody. */
function known(failure: RouterFailure): RouterFailure {
  return failure.code === 'engine_lost'
    ? new RouterFailure('backend_unavailable', failure.message)
    : failure;
}
