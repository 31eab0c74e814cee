/** How long the suite waits for an instance, since the contract gives no times. */

import type { ObservedState } from '../../checks/compute/lifecycle.ts';
import { Inconclusive } from '../../runner/case.ts';
import { limitMs, retry, type Waiting, within } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';

interface Patient extends Waiting {
  /** Shared by all cases of a run. */
  readonly session: object;
  readonly target: { readonly budget: { readonly minutes: number } };
}

interface Goal {
  readonly instance: string;
  readonly goal: string;
  /** Grows with every state in which the instance is seen. */
  readonly states: readonly ObservedState[];
}

/** Sessions in which an instance was stuck for good; all later waits are shorter. */
const stuckSessions = new WeakSet<object>();

/** Records that an instance is stuck. */
export function foundStuck({ session }: Pick<Patient, 'session'>): void {
  stuckSessions.add(session);
}

/** Asks until `done` holds. Throws `Inconclusive` when that takes too long, sooner if another instance is stuck. */
export async function untilDone(
  t: Patient,
  { instance, goal, states }: Goal,
  done: () => Promise<boolean>,
  wait: 'settles' | 'settlesClosely' = 'settles',
): Promise<void> {
  const ms = Math.min(waits.settles.withinMs, (t.target.budget.minutes * 60_000) / 4);
  const from = performance.now();
  const isGivenUp = () =>
    stuckSessions.has(t.session) && performance.now() - from > limitMs('settlesBesideStuck');
  if (await retry(t, within(wait, ms), done, (isDone) => isDone || isGivenUp())) return;
  const seconds = Math.round((performance.now() - from) / 1_000);
  const why = isGivenUp() ? 'where another one is stuck' : 'a quarter of budget.minutes';
  throw new Inconclusive(
    `instance ${instance} did not come to ${goal} within ${seconds} s, ${why}; last seen ${states.at(-1)?.state ?? 'nowhere'}`,
  );
}
