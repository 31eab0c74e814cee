/** A conforming deployment that limits how often a key may read the regions, so that a fault of the limit can be met. */

import type { ComputeRules } from '../context.ts';

/** Requests that a key has, and the seconds in which they come back. */
const LIMIT = { requests: 40, perSeconds: 1 } as const;

export function limited(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    takeRequest: (key, context) =>
      context.operation === 'regions'
        ? rules.takeRequest(key, {
            ...context,
            deployment: { ...context.deployment, rateLimit: LIMIT },
          })
        : undefined,
  };
}
