/** The commands of the model-based test: what people do to an instance, one after the other and at the same time. */

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
import type { TrackedInstance } from './tracked-instance.ts';

/** What a run may take from one command to the next: nothing, the tracked instance knows all. */
type NoModel = object;
export type LifecycleCommand = AsyncCommand<NoModel, TrackedInstance, true>;

/** A command by its name, as it is printed in a counterexample. */
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

export interface Actors {
  /** What the target file binds and allows. */
  readonly actions: readonly [Action, ...Action[]];
  /** Whether there is a key of another account. */
  readonly foreign: boolean;
  /** Milliseconds that one wait may take. */
  readonly settleMs: number;
}

type Named = ReturnType<typeof namedCommands>;

function namedCommands(settleMs: number) {
  return {
    look: () => command('look', async (instance) => instance.look()),
    list: () => command('list', async (instance) => instance.look('list')),
    settle: () => command('settle', async (instance) => instance.settle(settleMs)),
    call: (...several: readonly Action[]) =>
      command(
        several.length === 1 ? (several[0] ?? '') : `at once(${several.join(' ')})`,
        async (instance) => instance.call(...several),
      ),
  };
}

/**
 * The schedules that are tried in every run: every pair of calls, one after the other, at once, and with the instance
 * settled in between. Pairs that begin alike share an instance up to a terminate, after which there is no way back.
 */
export function shortSchedules({
  actions,
  settleMs,
}: Omit<Actors, 'foreign'>): readonly (readonly LifecycleCommand[])[] {
  const named = namedCommands(settleMs);
  const { look, list, settle, call } = named;
  const rests = () => [settle(), list(), look()];
  const lives = actions.filter((action) => action !== 'terminate');
  const reversible = lives.flatMap((first) =>
    lives.flatMap((second) => [
      call(first),
      look(),
      call(second),
      ...rests(),
      ...restart(lives, named),
    ]),
  );
  const ends = actions.includes('terminate')
    ? [
        ...actions.map((action) => [
          call('terminate'),
          call(action),
          look(),
          call(action),
          ...rests(),
        ]),
        ...lives.map((action) => [
          call(action),
          call('terminate'),
          look(),
          ...rests(),
          call(action),
          ...rests(),
        ]),
        [
          call('stop', 'terminate'),
          ...rests(),
          ...actions.flatMap((action) => [call(action), look()]),
          list(),
        ],
      ]
    : [];
  return [reversible, ...ends];
}

/** Back to RUNNING, if it is stopped and can be started. */
function restart(lives: readonly Action[], { call, settle }: Named): readonly LifecycleCommand[] {
  return lives.includes('start') ? [call('start'), settle()] : [];
}

/** Commands with which schedules are made; those that look come more often, and what ends a life comes less often. */
export function lifecycleCommands({
  actions,
  foreign,
  settleMs,
}: Actors): readonly Arbitrary<LifecycleCommand>[] {
  const named = namedCommands(settleMs);
  const [first, ...others] = actions.filter((action) => action !== 'terminate');
  const life = first === undefined ? constantFrom(...actions) : constantFrom(first, ...others);
  const looks = oneof(constant(named.look()), constant(named.list()));
  const settle = constant(named.settle());
  const calls = life.map((one) => named.call(one));
  const any = oneof(
    { weight: 4, arbitrary: life },
    { weight: 1, arbitrary: constantFrom(...actions) },
  );
  const atOnce = array(any, { minLength: 2, maxLength: 4 }).map((several) =>
    named.call(...several),
  );
  const foreigners = oneof(constant('get' as const), constantFrom(...actions)).map((one) =>
    command(`foreign ${one}`, async (instance) => instance.foreign(one)),
  );
  return [
    looks,
    settle,
    settle,
    calls,
    calls,
    any.map((one) => named.call(one)),
    atOnce,
    ...(foreign ? [foreigners] : []),
  ];
}
