/** The reference deployments as a run can exercise most of them: limits that are met cheaply, and are in nobody's way. */

import type { ComputeOptions, ComputeReference } from './compute/start.ts';
import type { ScriptedRouter, ScriptedRouterOptions } from './router/start.ts';

/** On the second key alone: low enough to be met, high enough not to be in the way. */
const RATE_LIMIT = { requests: 50, perSeconds: 1, roles: ['second'] } as const;

/** Starts a compute deployment with a limited second key. */
export async function startExercisedCompute(
  options: ComputeOptions = {},
): Promise<ComputeReference> {
  const { startCompute } = await import('./compute/start.ts');
  return startCompute({
    rateLimit: RATE_LIMIT,
    ...options,
    // A key over its limit stays so for a moment, in which another key can be seen to be free.
    choices: { rateWindow: 'fixed', ...options.choices },
  });
}

/** Bytes that the router accepts in one request: few, so that the limit is cheap to reach. */
const REQUEST_BYTES = 256 * 1024;

/** Starts a router with a low limit on bodies, in front of the scripted backend. */
export async function startExercisedRouter(
  options: ScriptedRouterOptions = {},
): Promise<ScriptedRouter> {
  const { startScriptedRouter } = await import('./router/start.ts');
  return startScriptedRouter({
    ...options,
    limits: { maxRequestBytes: REQUEST_BYTES, ...options.limits },
  });
}
