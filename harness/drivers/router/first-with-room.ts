/** Filling a router beyond what the agents of one model take. */

import { codeOf } from '../../checks/router/envelope.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RouterContext } from './session.ts';

/** How a model answers whose agents have no slot left; nothing of the router is full then. */
const SLOTS_TAKEN: ReadonlySet<string> = new Set(['no_capacity', 'no_agents_available']);

/**
 * The models behind the scripted engine that serve a chat completion, the plain one first. One with a shedding threshold
 * is none of them: requests that are held may well be what brings it there.
 */
export function chattingModels({ models }: Pick<RouterContext, 'models'>): readonly string[] {
  const { chat, pair, fallback, provider } = models;
  return [...new Set([chat, pair, fallback, provider].filter((id) => id !== undefined))];
}

/** Sends to one model after the other until it finds a slot, or ends otherwise. Returns the last answer when none has room. */
export async function firstWithRoom(
  [model = '', ...others]: readonly string[],
  send: (model: string) => Promise<Exchange>,
): Promise<Exchange> {
  const exchange = await send(model);
  return others.length > 0 && SLOTS_TAKEN.has(codeOf(exchange))
    ? firstWithRoom(others, send)
    : exchange;
}
