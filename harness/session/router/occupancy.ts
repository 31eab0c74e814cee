/** Filling the token budget of a model with requests that the engine holds. */

import { complete } from '../../backend/behaviours.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { requireFixture } from './fixture.ts';
import { whileHeld } from './holding.ts';
import type { RouterContext } from './session.ts';
import { words } from './words.ts';

export interface OccupancyFilled {
  /** Requests that were answered while others were held. */
  readonly early: readonly Exchange[];
  /** Requests that the engine held meanwhile. */
  readonly atEngine: number;
  /** Sends one like them, to an engine that answers. */
  readonly again: () => Promise<Exchange>;
}

/** Each weighs a quarter of the budget by its input alone, and as much by the output that it asks for. */
const QUARTERS = 24;

/** Sends six times the budget at once: whatever a router weighs, some fit and some do not. */
export async function fillOccupancy(t: RouterContext): Promise<OccupancyFilled> {
  const { id, budgetTokens } = requireFixture(t, 'occupancy');
  const size = Math.max(1, Math.floor(budgetTokens / 4));
  const options = { text: words(size), maxTokens: size, unbounded: true };
  const send = async (script: string) => t.api.chat(id, { ...options, script });
  // The first refusal tells; who is parked longer is let go with the others.
  const fill = { count: QUARTERS, send, enough: 1 };
  const filled = await whileHeld(t, fill, async ({ early, script }) => {
    const { held } = await t.backend.counts(script);
    return { early, atEngine: held };
  });
  return {
    ...filled,
    again: async () => send(await t.backend.script([complete()])),
  };
}
