/** Requests that take hardly anything of a daily budget. */

import { complete } from '../../backend/behaviours.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';
import type { TokenKey } from './token-keys.ts';

/** Most output tokens that such a request asks for. */
export const FEW_TOKENS = 8;

/** A small request of a key, as the client sees it. */
export async function smallRequest(t: RouterContext, key: TokenKey): Promise<Exchange> {
  const { exchange } = await provoke(t, complete({ text: 'Hello.' }), {
    as: key.name,
    text: 'Hi.',
    maxTokens: FEW_TOKENS,
  });
  return exchange;
}

/** A request that leaves room for a small one afterwards, as most of what it asks for is not written. */
export async function roomyRequest(t: RouterContext, key: TokenKey): Promise<Exchange> {
  const { exchange } = await provoke(t, complete({ text: 'Hello.' }), {
    as: key.name,
    text: 'Hi.',
    maxTokens: Math.max(FEW_TOKENS, Math.floor(key.limit / 10)),
  });
  return exchange;
}
