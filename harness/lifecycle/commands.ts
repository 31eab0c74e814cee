/** The commands of the model-based test. The model lives in the tracked instance, beside what it tracks. */

import { type Arbitrary, type AsyncCommand, asyncModelRun, commands } from 'fast-check';
import type { ArbitraryOfCommands } from '../runner/case.ts';
import type { Action } from './transitions.ts';
import type { TrackedInstance } from './tracked-instance.ts';

/** What a run may take from one command to the next: nothing, the tracked instance knows all. */
type NoModel = object;
export type LifecycleCommand = AsyncCommand<NoModel, TrackedInstance, true>;

/** A command by its name, as it is printed in a counterexample. */
export function command(
  name: string,
  run: (instance: TrackedInstance) => Promise<unknown>,
): LifecycleCommand {
  return {
    check: async () => true,
    run: async (_model, instance) => {
      await run(instance);
    },
    toString: () => name,
  };
}

/** Sequences of such commands that shrink, and replay by seed and path. */
export function sequences(
  one: readonly Arbitrary<LifecycleCommand>[],
  most: number,
): ArbitraryOfCommands<Iterable<LifecycleCommand>> {
  return (replayPath) =>
    commands([...one], {
      maxCommands: most,
      size: 'max',
      ...(replayPath === null ? {} : { replayPath }),
    });
}

/**
 * Runs commands until their end, between a first look and a last one; `last` is what removes the instance. Throws, as
 * the instance does, at the first broken requirement.
 */
export async function runCommands(
  instance: TrackedInstance,
  sequence: Iterable<LifecycleCommand>,
  last: readonly Action[] = [],
): Promise<void> {
  await instance.look();
  await asyncModelRun(() => ({ model: {}, real: instance }), sequence);
  await instance.look();
  for (const action of last) await instance.call(action);
  if (last.length > 0) await instance.look();
}
