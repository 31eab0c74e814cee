/** Plays schedules on instances of a target: the fixed ones of every run, and those that a property generates. */

import type { ComputeContext } from '../drivers/compute/api.ts';
import {
  type Actors,
  type LifecycleCommand,
  runCommands,
  shortSchedules,
  standingSchedule,
} from './commands.ts';
import type { Action } from './model.ts';
import type { Judge } from './first-run.ts';
import { TrackedInstance, untilBroken } from './tracked-instance.ts';

/** Milliseconds that one schedule may wait for the instance to settle. */
export const SETTLE_MS = 60_000;

/** Schedules that run at the same time, each on its own instance. */
const LANES = 3;

/** The actions that the target file binds and allows. */
export function actorsOf({ bindings, target }: ComputeContext): Actors {
  const actions: [Action, ...Action[]] = ['stop'];
  if (bindings.start !== undefined) actions.push('start');
  if (bindings.terminate !== undefined && target.consent.terminate) actions.push('terminate');
  return { actions, foreign: target.keys.second !== undefined, settleMs: SETTLE_MS };
}

/** Plays the schedules of every run, also on the stopped and terminated instances of the target file. */
export async function playShortSchedules(
  t: ComputeContext,
  actors: Actors,
): Promise<readonly TrackedInstance[]> {
  const judge: Judge = (requirement, judgement) => t.judge(requirement, judgement);
  const play = async (id: string, schedule: Iterable<LifecycleCommand>, isAtRest = false) => {
    const instance = new TrackedInstance(t, id, judge, isAtRest);
    await untilBroken(async () => runCommands(instance, schedule));
    return instance;
  };
  const standing = (['stopped', 'terminated'] as const).filter(
    (state) => t.target.instances?.[state] !== undefined,
  );
  const played = await Promise.all(
    standing.map(async (state) => play(await t[state](), standingSchedule(state, actors), true)),
  );
  const schedules = t.some(shortSchedules(actors), 4, 6);
  // Schedules mostly wait for their instances, so several lanes run in parallel.
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (const schedule of schedules.filter((__, at) => at % LANES === lane)) {
      played.push(await play(await t.disposable(), schedule));
    }
  });
  await Promise.all(lanes);
  return played;
}

/** Looks at all instances again for two seconds. */
export async function lingerOn(instances: readonly TrackedInstance[]): Promise<void> {
  const left = instances.filter(({ isBroken }) => !isBroken);
  await Promise.all(left.map(async (one) => untilBroken(async () => one.linger())));
}

/** Plays a schedule on a running instance, and terminates the instance at the end. */
export async function playToTheEnd(
  t: ComputeContext,
  { actions, settleMs }: Actors,
  schedule: Iterable<LifecycleCommand>,
  judge: Judge,
): Promise<void> {
  const instance = new TrackedInstance(t, await t.disposable(), judge);
  await untilBroken(async () => {
    // A booting instance shows little: most schedules would be over before it runs.
    await instance.settle(settleMs);
    await runCommands(instance, schedule);
    if (!actions.includes('terminate')) return;
    await instance.call('terminate');
    await instance.observe();
  });
}
