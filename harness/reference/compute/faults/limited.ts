/** A conforming deployment that limits how often a key may ask, so that a fault of the limit can be met. */

import type { ComputeRules } from '../rules.ts';

/** Requests that a key has, and the seconds in which they come back. */
const LIMIT = { requests: 150, perSeconds: 1 } as const;

export function limited(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    takeRequest: (key, context) =>
      rules.takeRequest(key, {
        ...context,
        deployment: { ...context.deployment, rateLimit: LIMIT },
      }),
  };
}
