/**
 * The commands of the model-based test: what clients do to an instance, one after the other and at the same time, and
 * how schedules of them are played on instances of a target.
 */

import {
  type Arbitrary,
  array,
  type AsyncCommand,
  asyncModelRun,
  commands,
  constant,
  constantFrom,
  oneof,
} from 'fast-check';
import type { ArbitraryOfCommands } from '../runner/case.ts';
import type { Action } from './model.ts';
import { TrackedInstance, untilBroken } from './tracked-instance.ts';
import type { ComputeContext } from '../drivers/compute/api.ts';
import type { Judge } from './first-run.ts';

/** The state that fast-check hands from command to command. It is empty: the tracked instance knows everything. */
type NoModel = object;
export type LifecycleCommand = AsyncCommand<NoModel, TrackedInstance, true>;

/** A command with the name that counterexamples print. */
function command(
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

/** Sequences of these commands, which shrink and can be replayed by seed and path. */
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

/** Runs commands between a first and a last look. Throws `ModelBroken` at the first broken requirement. */
async function runCommands(
  instance: TrackedInstance,
  sequence: Iterable<LifecycleCommand>,
): Promise<void> {
  await instance.observe();
  await asyncModelRun(() => ({ model: {}, real: instance }), sequence);
  await instance.observe();
}

export interface Actors {
  /** The actions that the target file binds and allows. */
  readonly actions: readonly [Action, ...Action[]];
  /** Whether there is a key of another account. */
  readonly foreign: boolean;
  /** Milliseconds that one wait may take. */
  readonly settleMs: number;
}

/** The command of a name: `look` (at the record), `list`, `settle`, or calls, joined with `+` when they are sent at once. */
function named(name: string, { actions, settleMs }: Actors) {
  if (name === 'look') return command(name, async (instance) => instance.observe());
  if (name === 'list') return command(name, async (instance) => instance.observe('list'));
  if (name === 'settle') return command(name, async (instance) => instance.settle(settleMs));
  const asked = name.split('+').flatMap((one) => actions.filter((action) => action === one));
  return command(name, async (instance) => instance.call(...asked));
}

/** The schedules of every run: pairs of calls in sequence, at once or settled in between, and terminates while booting. */
const schedules = [
  'settle stop look stop settle list look stop',
  'settle stop look start settle list look start settle start look stop settle list look start settle start look start settle list look',
  'settle terminate stop look stop settle list look stop look',
  'settle terminate start look start settle list look start look',
  'settle terminate terminate look terminate settle list look terminate look',
  'settle stop terminate look settle list look stop settle list look',
  'settle start terminate look settle list look start settle list look',
  'settle stop+terminate+terminate settle list look',
  'terminate settle list look',
  'settle stop settle start terminate settle list look',
];

/** The schedules of instances that are stopped or terminated when the run begins. */
const standing = {
  stopped: 'look list stop look stop look',
  terminated: 'look list stop look start look terminate look',
};

const passive: ReadonlySet<string> = new Set(['look', 'list', 'settle']);

/** The schedules of every run, without those that contain an action that is not offered. */
function shortSchedules(actors: Actors): readonly (readonly LifecycleCommand[])[] {
  const isOffered = (name: string): boolean =>
    name.split('+').every((one) => actors.actions.some((action) => action === one));
  return schedules
    .map((schedule) => schedule.split(' '))
    .filter((names) => names.every((name) => passive.has(name) || isOffered(name)))
    .map((names) => names.map((name) => named(name, actors)));
}

/** The schedule of an instance of the target file, without the actions that are not offered. */
function standingSchedule(
  state: keyof typeof standing,
  actors: Actors,
): readonly LifecycleCommand[] {
  const names = standing[state].split(' ');
  return names
    .filter((name) => passive.has(name) || actors.actions.some((action) => action === name))
    .map((name) => named(name, actors));
}

/** Commands for generated schedules. Looks and waits are frequent, and terminates are rare. */
export function lifecycleCommands(actors: Actors): readonly Arbitrary<LifecycleCommand>[] {
  const { actions, foreign } = actors;
  const [first, ...others] = actions.filter((action) => action !== 'terminate');
  const life = first === undefined ? constantFrom(...actions) : constantFrom(first, ...others);
  const any = oneof(
    { weight: 4, arbitrary: life },
    { weight: 1, arbitrary: constantFrom(...actions) },
  );
  const atOnce = array(any, { minLength: 2, maxLength: 4 }).map((several) => several.join('+'));
  const looks = constantFrom('look', 'list');
  const settle = constant('settle');
  const foreigners = oneof(constant('get' as const), constantFrom(...actions)).map((one) =>
    command(`foreign ${one}`, async (instance) => instance.foreign(one)),
  );
  return [
    ...[looks, settle, settle, life, life, any, atOnce].map((names) =>
      names.map((name) => named(name, actors)),
    ),
    ...(foreign ? [foreigners] : []),
  ];
}

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
  const resting = (['stopped', 'terminated'] as const).filter(
    (state) => t.target.instances?.[state] !== undefined,
  );
  const played = await Promise.all(
    resting.map(async (state) => play(await t[state](), standingSchedule(state, actors), true)),
  );
  const chosen = t.some(shortSchedules(actors), 4, 6);
  // Schedules mostly wait for their instances, so several lanes run in parallel.
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (const schedule of chosen.filter((__, at) => at % LANES === lane)) {
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
