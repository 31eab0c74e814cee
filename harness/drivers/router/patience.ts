/** Asking again where what was asked before may still be in the way. */

import type { Judgement } from '../../checks/judgement.ts';
import { Inconclusive } from '../../runner/signals.ts';
import { restsItsAgents } from './resting-fleet.ts';
import type { RouterContext } from './session.ts';
import { eventually } from '../../runner/retry.ts';

export interface PatienceOptions {
  /** How often a request whose every try fails was tried before. */
  readonly tries?: number;
  /** Models that tell whether the router rests agents, where no engine was ever asked for this one. */
  readonly others?: readonly string[];
}

/**
 * The judgement of an attempt, made again after a while as long as it fails: health is the fleet's own affair, and a
 * router may leave an agent out for a moment that failed several times in a row. A router that never does what is asked
 * for fails each time. Throws `Inconclusive` when it fails to the end and the router is found to rest the agents of `model`
 * after failures: for how long is its own affair, too.
 */
export async function inTheEnd(
  t: Pick<RouterContext, 'api' | 'backend' | 'target' | 'signal'>,
  model: string,
  attempt: () => Promise<Judgement>,
  { tries, others }: PatienceOptions = {},
): Promise<Judgement> {
  const last = await eventually(t, 'agentsHealthy', attempt);
  if (last.violations.length === 0) return last;
  if (await restsItsAgents(t, model, tries, others)) {
    throw new Inconclusive(`the router leaves out agents of ${model} for longer after they failed`);
  }
  return last;
}
