/** What people do to an instance, one after the other and at the same time. */

import { type Arbitrary, array, constant, constantFrom, oneof } from 'fast-check';
import { type LifecycleCommand, command } from './commands.ts';
import type { Action } from './transitions.ts';

export interface Actors {
  /** What the target file binds and allows. */
  readonly actions: readonly [Action, ...Action[]];
  /** Whether there is a key of another account. */
  readonly foreign: boolean;
  /** Milliseconds that one wait may take. */
  readonly settleMs: number;
}

/** Commands with which schedules are made; those that look come more often. */
export function lifecycleCommands({
  actions,
  foreign,
  settleMs,
}: Actors): readonly Arbitrary<LifecycleCommand>[] {
  const action = constantFrom(...actions);
  const looks = constantFrom(
    command('look', async (instance) => instance.look()),
    command('list', async (instance) => instance.look('list')),
  );
  const settle = constant(command('settle', async (instance) => instance.settle(settleMs)));
  const calls = action.map((one) => command(one, async (instance) => instance.call(one)));
  const atOnce = array(action, { minLength: 2, maxLength: 4 }).map((several) =>
    command(`at once(${several.join(' ')})`, async (instance) => instance.call(...several)),
  );
  const unknownTargets = oneof(constant('get' as const), action).map((one) =>
    command(`foreign ${one}`, async (instance) => instance.foreign(one)),
  );
  return [looks, settle, settle, calls, calls, atOnce, ...(foreign ? [unknownTargets] : [])];
}
