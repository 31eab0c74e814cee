/** Terminates of instances, where a first try may fail once it has taken effect. */

import { isSuccess } from '../../checks/compute/records.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { NotExercised } from '../../runner/signals.ts';
import type { ActionOptions } from './api.ts';
import type { Life } from './life.ts';

/** Instances on which a terminate must fail before that is no chance. */
const TRIES = 3;

/** An instance, and what a terminate of it was answered. */
export interface Terminated {
  readonly life: Life;
  readonly answer: Exchange;
}

/**
 * Terminates an instance that `bring` brings. A call that failed and was sent again may have met what its first try had
 * begun, and then its answer tells nothing of the state before: it is tried on further instances, as long as there are any,
 * and the last answer counts.
 */
export async function terminatePatiently(
  api: { readonly terminate: (id: string, options: ActionOptions) => Promise<Exchange> },
  options: ActionOptions,
  bring: () => Promise<Life>,
): Promise<Terminated> {
  const terminated = async (): Promise<Terminated> => {
    const life = await bring();
    return { life, answer: await api.terminate(life.id, options) };
  };
  let last = await terminated();
  for (let tried = 1; tried < TRIES && isUncertain(last.answer); tried += 1) {
    try {
      last = await terminated();
    } catch (error) {
      if (error instanceof NotExercised) return last;
      throw error;
    }
  }
  return last;
}

function isUncertain(answer: Exchange): boolean {
  return !isSuccess(answer) && answer.retries > 0;
}
