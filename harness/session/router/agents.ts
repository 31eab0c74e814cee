/** Telling the agents of a model apart by the listeners of the scripted backend that they point at. */

import { NotExercised } from '../../suite/signals.ts';
import { whileHeld } from './holding.ts';
import type { RouterContext } from './session.ts';

/** Requests at once, enough for any way of choosing agents to reach both of two. */
const AT_ONCE = 12;

/** Throws `NotExercised` when simultaneous requests for the model all come in at one listener. */
export async function agentsTellApart(
  t: Pick<RouterContext, 'api' | 'backend' | 'signal'>,
  model: string,
): Promise<void> {
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  const hits = await whileHeld(t, { count: AT_ONCE, send }, async ({ script }) =>
    t.backend.hits(script),
  );
  if (new Set(hits.map(({ listener }) => listener)).size > 1) return;
  throw new NotExercised(
    `the agents of ${model} come in at one address of the scripted backend, so that they cannot be told apart`,
    'backend: { listen: [ 127.0.0.1:9100, 127.0.0.1:9101 ] }',
  );
}
