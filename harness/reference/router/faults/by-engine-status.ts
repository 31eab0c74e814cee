/** What goes wrong after one status of an engine alone. */

import type { Fault } from '../../fault.ts';
import type { Holding, RequestContext } from '../context.ts';
import {
  answering,
  every,
  refusal,
  type When,
  withBody,
  withCode,
  withError,
} from './answering.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { notingMaximum } from './named-maximum.ts';
import { replace, faultTable } from './answering.ts';

/** Rules that note which status an engine failed with last, for each request. */
function noting(rules: RouterRules) {
  let last = 0;
  const statuses = new WeakMap<RequestContext, number>();
  return {
    statusFor: (context: RequestContext) => statuses.get(context),
    rules: {
      ...rules,
      codeOf: (type: string | undefined, status: number, speaks: boolean) => {
        last = status;
        return rules.codeOf(type, status, speaks);
      },
      stops: (code: string, context: RequestContext) => {
        statuses.set(context, last);
        return rules.stops(code, context);
      },
      wrapCode: (status: number, text: string, context: RequestContext) => {
        last = status;
        return rules.wrapCode(status, text, context);
      },
    },
  };
}

const leaks = (
  [
    ['slot', 404, 'slot', ['slot-back-after-error', 'slots-free-when-idle']],
    ['slot', 429, 'slot', ['slot-back-after-error', 'slots-free-when-idle']],
    ['inflight', 400, 'place in flight', ['inflight-back-after-error', 'places-free-when-idle']],
    ['inflight', 422, 'place in flight', ['inflight-back-after-error', 'places-free-when-idle']],
    ['occupancy', 503, 'part of the occupancy budget', ['occupancy-back']],
    ['share', 422, 'part of the occupancy share', ['serverless-share-back']],
  ] as const
).map(([holding, status, what, slugs]): Fault<RouterRules> => ({
  name: `${holding}-leaks-after-engine-${status}`,
  summary: `Forgets the ${what} of a request whose engine answered ${status}.`,
  breaks: slugs.map((slug) => `router.admission.${slug}`),
  patch: leakingAfter(holding, status),
}));

function leakingAfter(leaked: Holding, leakyStatus: number): Fault<RouterRules>['patch'] {
  return (plain) => {
    const { rules, statusFor } = noting(plain);
    return {
      ...rules,
      release: (holding, ending, free, context) => {
        const isKept =
          holding === leaked && ending === 'failed' && statusFor(context) === leakyStatus;
        if (!isKept) rules.release(holding, ending, free, context);
      },
    };
  };
}

const stops = [404, 502].flatMap((status) =>
  faultTable({
    'router.retry-behaviour.retry-after-backend-error': {
      [`engine-${status}-not-tried-elsewhere`]: (plain) => {
        const { rules, statusFor } = noting(plain);
        return {
          ...rules,
          stops: (code, context) => {
            const stopping = rules.stops(code, context);
            return stopping || (code === 'backend_error' && statusFor(context) === status);
          },
        };
      },
    },
  }),
);

/** Tries elsewhere what must end the session, after one status alone, whether the engine named a type or not. */
const goesOn = (
  [
    ['untyped', 400, 'invalid_parameter', ['invalid-parameter-stops']],
    ['typed', 429, 'context_length_exceeded', ['context-length-stops']],
    ['typed', 404, 'invalid_parameter', ['invalid-parameter-stops']],
  ] as const
).map(([kind, status, code, slugs]): Fault<RouterRules> => ({
  name: `${kind}-${status}-tried-elsewhere`,
  summary: `Tries another agent after an ${code} whose engine answered ${status}, ${kind}.`,
  breaks: [...slugs, 'terminal-skips-provider'].map((slug) => `router.retry-behaviour.${slug}`),
  patch: (plain) => {
    const { rules, statusFor } = noting(plain);
    let typed = false;
    return {
      ...rules,
      codeOf: (type, said, speaks) => {
        typed = type !== undefined;
        return rules.codeOf(type, said, speaks);
      },
      stops: (said, context) => {
        const stopping = rules.stops(said, context);
        const isMeant = said === code && typed === (kind === 'typed');
        return stopping && !(isMeant && statusFor(context) === status);
      },
    };
  },
}));

export const engineStatusFaults = [
  ...faultTable({
    'router.backend-classification.other-400': {
      'engine-400-not-read-where-a-maximum-is-asked-for': (plain) => {
        const { rules: noted, statusFor } = noting(plain);
        const { rules, namesMaximum } = notingMaximum(noted);
        const isMeant: When = (_reply, context) =>
          context.path === '/v1/chat/completions' &&
          statusFor(context) === 400 &&
          namesMaximum(context);
        return answering(every(withCode('invalid_parameter'), isMeant), (reply) =>
          withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
        )(rules);
      },
    },
    'router.backend-classification.type-over-other-status': {
      'type-yields-to-409': replace('codeOf', (original, type, status, speaks) =>
        original(status === 409 ? undefined : type, status, speaks),
      ),
    },
    'router.transparent-proxy.embeddings-error-wrapped': {
      'embeddings-500-passed-through': {
        besides: ['router.envelope.object'],
        exercisedBy: ['router.transparent-proxy.embeddings-error-wrapped'],
        patch: (plain) => {
          const { rules, statusFor } = noting(plain);
          return {
            ...rules,
            answer: (reply, context) => {
              const answered = rules.answer(reply, context);
              return context.path === '/v1/embeddings' && statusFor(context) === 500
                ? withBody(answered, { detail: 'as the engine said' }, 500)
                : answered;
            },
          };
        },
      },
    },
    'router.backend-classification.raw-message-truncated': {
      'raw-message-whole-at-422': (plain) => {
        const { rules, statusFor } = noting(plain);
        const whole = new Map<string, string>();
        return {
          ...rules,
          truncate: (bytes) => {
            const kept = rules.truncate(bytes);
            whole.set(kept, Buffer.from(bytes).toString('utf8'));
            return kept;
          },
          envelope: (failure, source, context) => {
            const message = statusFor(context) === 422 ? whole.get(failure.message) : undefined;
            const told =
              message === undefined || failure.code !== 'invalid_parameter'
                ? failure
                : new RouterFailure(failure.code, message, failure.detail);
            return rules.envelope(told, source, context);
          },
        };
      },
    },
  }),
  ...leaks,
  ...stops,
  ...goesOn,
];
