/**
 * Experiments on instances of our own: what is costly to bring about happens once in a session, and each case judges one
 * aspect of what came of it.
 */

import type { Journey } from '../../checks/compute/settling.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ComputeContext } from './context.ts';
import type { Life } from './life.ts';

/** Done by the first case of a session that asks; what came of it, or why nothing did, is the same for all. */
export function experiment<T>(
  make: (t: ComputeContext) => Promise<T>,
): (t: ComputeContext) => Promise<T> {
  const made = new WeakMap<object, Promise<T>>();
  return async (t) => {
    const known = made.get(t.session) ?? make(t);
    made.set(t.session, known);
    return known;
  };
}

/** Without waiting for a place among the requests of other cases: the state passes. */
export const SOON = { unbounded: true } as const;
/** A journey after an accepted call; not observed, and why, where the call was refused. */
export async function followed(
  life: Life,
  answer: Exchange,
  journey: Journey,
  options: Parameters<Life['follow']>[1] = {},
): Promise<Judgement> {
  return isSuccess(answer) ? life.follow(journey, options) : notObserved;
}
