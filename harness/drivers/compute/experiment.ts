/**
 * Experiments on instances of our own: what is costly to bring about happens once in a session, and each case judges one
 * aspect of what came of it.
 */

import type { Journey } from '../../checks/compute/settling.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment } from '../../runner/experiment.ts';
import type { ComputeContext } from './context.ts';
import type { Life } from './life.ts';

/** An experiment as a function of the context. */
export function experiment<T>(
  make: (t: ComputeContext) => Promise<T>,
): (t: ComputeContext) => Promise<T> {
  const made = new Experiment(make);
  return async (t) => made.of(t);
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
