/** One request more than a model takes at once, to see whether what came back came back only once, and not too soon. */

import type { Behaviour } from '../../backend/behaviour.ts';
import { events, stall } from '../../backend/behaviours.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { mostAtOnce } from '../../checks/router/at-once.ts';
import { withinPlaces } from '../../checks/router/crowding.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { chatEvents, messageEvents } from '../../generate/chat-chunks.ts';
import type { InferenceRoute } from './api.ts';
import { headsSeen } from './heads-seen.ts';
import { whileHeld } from './holding.ts';
import type { Crowd } from './recovery.ts';
import type { RouterContext } from './session.ts';
import { underWay } from './under-way.ts';

/** Milliseconds in which a request that is let in reaches the engine; one that waits longer waits for a place. */
const LET_IN_MS = 400;
export interface Overfilled {
  /** Most requests that the engine saw at once. */
  readonly peak: number;
  /** The end of the one beyond the places: refused, or served once others were let go. */
  readonly beyond: Exchange;
}

/** With what places are filled. */
export interface Filling {
  readonly route: InferenceRoute;
  readonly stream: boolean;
  readonly behaviour: Behaviour;
}

const completions: Filling = { route: 'chat', stream: false, behaviour: stall() };

/** Streams that their engine holds after the first event. */
function heldStreams(route: InferenceRoute, of: readonly { readonly data: string }[]): Filling {
  return { route, stream: true, behaviour: events([...of], { hold: { afterEvents: 1 } }) };
}

/** Streams that have begun, and go on. */
export const begunStreams: readonly Filling[] = [
  heldStreams('chat', chatEvents(['one', ' two'])),
  heldStreams('messages', messageEvents(['one', ' two'])),
];

/**
 * Fills the places of a model and sends one request more, which is not waited for: it may park or queue. Undefined
 * when the places could not be filled, as where one comes back a moment after its answer.
 */
export async function overfilled(
  t: RouterContext,
  { model, places }: Pick<Crowd, 'model' | 'places'>,
  { route, stream, behaviour }: Filling = completions,
): Promise<Overfilled | undefined> {
  const { onHead, begun } = headsSeen(places);
  const send = async (script: string) =>
    t.api.infer(route, model, { script, stream, onHead, unbounded: true });
  const fill = { count: places, send, behaviours: [behaviour] };
  return whileHeld(t, fill, async ({ early, script, release }) => {
    if (early.length > 0) return undefined;
    // What goes with the head of an answer is gone when the client has seen it.
    if (stream) await begun(t.signal);
    // The same script: should it be let in, the engine holds it beside the others.
    const request = underWay(send(script));
    await Promise.race([request, heldAtOnce(t, script, places + 1)]);
    const peak = mostAtOnce(await t.backend.hits(script));
    await release();
    return { peak, beyond: await request };
  });
}

/** Whether a model whose places are filled takes no more at once; not observed where they could not be filled. */
export async function takesNoMore(
  t: RouterContext,
  crowd: Pick<Crowd, 'model' | 'places'>,
  filling?: Filling,
): Promise<Judgement> {
  const over = await overfilled(t, crowd, filling);
  return over === undefined ? notObserved : withinPlaces(over.peak, crowd.places, over.beyond);
}

/** Waits until the engine holds so many, as long as one that is let in may take to get there. */
async function heldAtOnce(t: RouterContext, script: string, count: number): Promise<void> {
  const options = { timeoutMs: LET_IN_MS, signal: t.signal };
  await t.backend.waitFor(script, { held: count }, options).catch(() => undefined);
}
