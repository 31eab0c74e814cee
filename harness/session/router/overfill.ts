/** One request more than a model takes at once, to see whether what came back came back only once. */

import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { whileHeld } from './holding.ts';
import type { Crowd } from './recovery.ts';
import type { RouterContext } from './session.ts';
import { underWay } from './under-way.ts';

/** Milliseconds in which a request that is let in reaches the engine; one that waits longer waits for a place. */
const LET_IN_MS = 100;

export interface Overfilled {
  /** Most requests that the engine saw at once. */
  readonly peak: number;
  /** The end of the one beyond the places: refused, or served once others were let go. */
  readonly beyond: Exchange;
}

/**
 * Fills the places of a model and sends one request more, which is not waited for: it may park or queue. Undefined
 * when the places could not be filled, as where one comes back a moment after its answer.
 */
export async function overfilled(
  t: RouterContext,
  { model, places }: Pick<Crowd, 'model' | 'places'>,
): Promise<Overfilled | undefined> {
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  return whileHeld(t, { count: places, send }, async ({ early, script, release }) => {
    if (early.length > 0) return undefined;
    // The same script: should it be let in, the engine holds it beside the others.
    const request = underWay(send(script));
    await Promise.race([request, pause(LET_IN_MS, t.signal)]);
    const { peak } = await t.backend.counts(script);
    await release();
    return { peak, beyond: await request };
  });
}
