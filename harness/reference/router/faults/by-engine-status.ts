/** What goes wrong after one status of an engine alone. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { Holding, RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';

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
    },
  };
}

const leaks = (
  [
    ['slot', 404, 'slot', ['slot-back-after-error', 'slots-free-when-idle']],
    ['slot', 429, 'slot', ['slot-back-after-error', 'slots-free-when-idle']],
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

const stops = [404, 502].map((status): Fault<RouterRules> => ({
  name: `engine-${status}-not-tried-elsewhere`,
  summary: `Ends a session with the first ${status} of an engine.`,
  breaks: ['router.retry-behaviour.retry-after-backend-error'],
  patch: (plain) => {
    const { rules, statusFor } = noting(plain);
    return {
      ...rules,
      stops: (code, context) => {
        const stopping = rules.stops(code, context);
        return stopping || (code === 'backend_error' && statusFor(context) === status);
      },
    };
  },
}));

export const engineStatusFaults = declareFaults<RouterRules>([
  ...leaks,
  ...stops,
  {
    name: 'raw-message-whole-at-422',
    summary: 'Keeps the whole of a raw body of a 422.',
    breaks: ['router.backend-classification.raw-message-truncated'],
    patch: (plain) => {
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
]);
