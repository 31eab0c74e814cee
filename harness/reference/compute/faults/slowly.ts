/** A conforming deployment that takes its time between states, so that each of them can be met. */

import type { InstanceState } from '../model.ts';
import type { ComputeRules } from '../context.ts';

/** Milliseconds for which an instance stays in a state that is on its way. */
const STAY_MS = 400;
/** In TERMINATING longer: what is wrong with it shows only well before its end. */
const TEARDOWN_MS = 1_000;

export function slowly(rules: ComputeRules, ...states: readonly InstanceState[]): ComputeRules {
  return {
    ...rules,
    successor: (instance, deployment) => {
      const next = rules.successor(instance, deployment);
      return next !== undefined && states.includes(instance.state)
        ? {
            ...next,
            delayMs: Math.max(
              next.delayMs,
              instance.state === 'TERMINATING' ? TEARDOWN_MS : STAY_MS,
            ),
          }
        : next;
    },
  };
}
