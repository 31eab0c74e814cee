/**
 * Keys with a daily budget, as cases have them. Before the first is handed out, the one that would be handed out last is seen to
 * be served: where keys share one budget by mistake, those that are spent earlier take of its as well.
 */

import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment } from '../../runner/experiment.ts';
import type { RouterContext } from './session.ts';
import { roomyRequest } from './small-request.ts';
import type { TokenKey } from './token-keys.ts';

const seenFirst = new Experiment(async (t: RouterContext) => {
  const key = t.tokenKeys.last;
  return key === undefined ? undefined : { key, before: await roomyRequest(t, key) };
});

/** A key for good: whoever takes it spends it. Throws `NotExercised` when all are spent. */
export async function spendKey(t: RouterContext): Promise<TokenKey> {
  await seenFirst.of(t);
  return t.tokenKeys.spend();
}

/** A key for what hardly costs tokens; others have it afterwards. Throws `NotExercised` when all are spent. */
export async function borrowKey<T>(
  t: RouterContext,
  use: (key: TokenKey) => Promise<T>,
): Promise<T> {
  await seenFirst.of(t);
  return t.tokenKeys.borrow(use);
}

export interface Neighbour {
  readonly key: TokenKey;
  /** The answer to a request that leaves room for a small one, sent before any key was spent where that is possible. */
  readonly before: Exchange;
}

/** A key beside one that is spent; undefined when none is free. */
export async function besideKey<T>(
  t: RouterContext,
  use: (neighbour: Neighbour | undefined) => Promise<T>,
): Promise<T> {
  const first = await seenFirst.of(t);
  return t.tokenKeys.beside(async (key) => {
    if (key === undefined) return use(undefined);
    if (key.name === first?.key.name) return use(first);
    return use({ key, before: await roomyRequest(t, key) });
  }, first?.key);
}
