/** The control of a test that counts hits: proof that the counter would have counted. */

import { outcomeText } from '../../checks/router/final-codes.ts';
import { Inconclusive } from '../../runner/signals.ts';
import { askRoute, type AskOptions } from './client-routes.ts';
import type { InferenceRoute } from './api.ts';
import { modelFor } from './provoke.ts';
import { mayBeServedAgain, onceRested } from './rested.ts';
import type { RouterContext } from './session.ts';

/**
 * Sends a plain request with the script of an earlier one that should have reached no engine. Throws `Inconclusive`
 * when this one is not counted either: then the model is not behind the scripted backend, and no hits say nothing.
 */
export async function requireReached(
  t: Pick<RouterContext, 'api' | 'backend' | 'models' | 'anyModel' | 'target' | 'signal'>,
  route: InferenceRoute,
  options: AskOptions & { readonly script: string },
): Promise<void> {
  const before = await t.backend.counts(options.script);
  const model = options.model ?? (await modelFor(t, route));
  const ask = async () => {
    const asked = await askRoute(t, route, { ...options, model });
    return { exchange: asked, after: await t.backend.counts(options.script) };
  };
  const { exchange, after } = await onceRested(t.target, ask, {
    model,
    isRested: (asked) => asked.after.hits === before.hits && mayBeServedAgain(asked.exchange),
    signal: t.signal,
  });
  if (after.hits === before.hits) {
    throw new Inconclusive(
      `a plain request of the ${route} route did not reach the scripted backend (${outcomeText(exchange)}), so that hits prove nothing`,
    );
  }
}
