/** Reference deployments that let a run exercise as much as possible: their limits are cheap to reach. */

import type { ComputeOptions, ComputeReference } from './compute/start.ts';
import type { ScriptedRouter, ScriptedRouterOptions } from './router/start.ts';

/** A limit on the second key alone, low enough to reach and high enough for the other cases. */
const RATE_LIMIT = { requests: 50, perSeconds: 1, roles: ['second'] } as const;

/** Starts a compute deployment with a rate limit on the second key. */
export async function startExercisedCompute(
  options: ComputeOptions = {},
): Promise<ComputeReference> {
  const { startCompute } = await import('./compute/start.ts');
  return startCompute({
    rateLimit: RATE_LIMIT,
    ...options,
    // The fixed window keeps a key over its limit for a moment, so that a case can see another key unaffected.
    choices: { rateWindow: 'fixed', ...options.choices },
  });
}

/** Maximum size of a request body, small enough to be cheap to exceed. */
const REQUEST_BYTES = 256 * 1024;

/** Starts a router with a low body limit, in front of the scripted backend. */
export async function startExercisedRouter(
  options: ScriptedRouterOptions = {},
): Promise<ScriptedRouter> {
  const { startScriptedRouter } = await import('./router/start.ts');
  return startScriptedRouter({
    ...options,
    limits: { maxRequestBytes: REQUEST_BYTES, ...options.limits },
  });
}
