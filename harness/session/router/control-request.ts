/** The control of a test that counts hits: proof that the counter would have counted. */

import { Inconclusive } from '../../suite/signals.ts';
import { askRoute, type AskOptions } from './client-routes.ts';
import type { InferenceRoute } from './api.ts';
import type { RouterContext } from './session.ts';

/**
 * Sends a plain request with the script of an earlier one that should have reached no engine. Throws `Inconclusive`
 * when this one is not counted either: then the model is not behind the scripted backend, and no hits say nothing.
 */
export async function requireReached(
  t: Pick<RouterContext, 'api' | 'backend' | 'models' | 'anyModel'>,
  route: InferenceRoute,
  options: AskOptions & { readonly script: string },
): Promise<void> {
  const before = await t.backend.counts(options.script);
  await askRoute(t, route, options);
  const after = await t.backend.counts(options.script);
  if (after.hits === before.hits) {
    throw new Inconclusive(
      `a plain request of the ${route} route did not reach the scripted backend, so that hits prove nothing`,
    );
  }
}
