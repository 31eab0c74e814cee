/** Telling the agents of a model apart by the listeners of the scripted backend that they point at. */

import { complete, respond } from '../../backend/behaviours.ts';
import { NotExercised } from '../../runner/signals.ts';
import { whileHeld } from './holding.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';

/** Requests at once, enough for any way of choosing agents to reach both of two. */
const AT_ONCE = 12;

/**
 * Throws `NotExercised` when all requests for the model come in at one listener: simultaneous ones, and the second try of
 * one that failed, which is how the other agent shows where the router prefers one of them.
 */
export async function agentsTellApart(t: RouterContext, model: string): Promise<void> {
  if (await severalListeners(t, model)) return;
  throw new NotExercised(
    `every request for ${model} came in at one address of the scripted backend, so that its agents cannot be told apart`,
    t.backend.listeners.length > 1
      ? undefined
      : 'backend: { listen: [ 127.0.0.1:9100, 127.0.0.1:9101 ] }',
  );
}

/** Requests at once by which two agents that serve both show, most of the time. */
const FEW_AT_ONCE = 4;

/**
 * Whether more than one agent of the model serves at this moment, as far as simultaneous requests tell. No request of these
 * fails, so that no agent is left out for one.
 */
export async function severalServeNow(t: RouterContext, model: string): Promise<boolean> {
  return (await listenersAtOnce(t, model, FEW_AT_ONCE)) > 1;
}

/** How many listeners so many simultaneous requests come in at, as far as the router works on so many. */
async function listenersAtOnce(t: RouterContext, model: string, most: number): Promise<number> {
  const count = Math.min(most, t.sharedPlaces.mostHeld);
  const send = async (of: string) => t.api.chat(model, { script: of, unbounded: true });
  const hits = await whileHeld(t, { count, send }, async (holding) =>
    t.backend.hits(holding.script),
  );
  return new Set(hits.map(({ listener }) => listener)).size;
}

async function severalListeners(t: RouterContext, model: string): Promise<boolean> {
  const failing = respond(503, { error: { message: 'Scripted overload.' } });
  const { script } = await provoke(t, [failing, complete()], { model });
  const tries = await t.backend.hits(script);
  if (new Set(tries.map(({ listener }) => listener)).size > 1) return true;
  return (await listenersAtOnce(t, model, AT_ONCE)) > 1;
}
