import { lifecycleCommands } from '../../harness/lifecycle/any-command.ts';
import { runCommands, sequences } from '../../harness/lifecycle/commands.ts';
import { TrackedInstance, untilBroken } from '../../harness/lifecycle/tracked-instance.ts';
import type { Action } from '../../harness/lifecycle/transitions.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';

/** Commands in one schedule, at most. */
const MAX_COMMANDS = 12;
/** Disposable instances cost: few schedules, and few in search of a smaller one. */
const WEIGHT = 0.3;
const MAX_SHRINKS = 25;
const TIME_LIMIT_MS = 3 * 60_000;
/** How long one schedule may wait for the instance to settle. */
const SETTLE_MS = 60_000;

/** What the target file binds and allows. */
function actionsOf({ bindings, target }: ComputeContext): readonly [Action, ...Action[]] {
  const actions: [Action, ...Action[]] = ['stop'];
  if (bindings.start !== undefined) actions.push('start');
  if (bindings.terminate !== undefined && target.consent.terminate) actions.push('terminate');
  return actions;
}

export default computeSection('states', (test) => {
  test(
    'no schedule of calls brings an instance where the transitions do not lead',
    { judges: ['compute.states.order-kept'], waits: true, requests: 200 },
    async (t) => {
      const actions = actionsOf(t);
      await t.property(
        'schedules of calls',
        sequences(
          lifecycleCommands({
            actions,
            foreign: t.target.keys.second !== undefined,
            settleMs: SETTLE_MS,
          }),
          MAX_COMMANDS,
        ),
        async (schedule, judge) => {
          const instance = new TrackedInstance(t, await t.disposable(), judge);
          const last = actions.filter((action) => action === 'terminate');
          await untilBroken(async () => {
            // An instance that boots tells little: most schedules would be over before it runs.
            await instance.settle(SETTLE_MS);
            await runCommands(instance, schedule, last);
          });
        },
        { weight: WEIGHT, mostShrinks: MAX_SHRINKS, timeLimitMs: TIME_LIMIT_MS },
      );
    },
  );

  test(
    'stops and terminates in flight together get answers that some order of them allows',
    { judges: ['compute.states.concurrent-calls'], waits: true, requests: 20 },
    async (t) => {
      const life = await Life.running(t);
      const instance = new TrackedInstance(t, life.id, (id, judgement) => t.judge(id, judgement));
      await untilBroken(async () => {
        await instance.look();
        await instance.call('stop', 'stop', 'stop');
        await instance.settle(SETTLE_MS);
        await instance.call('stop', 'terminate', 'terminate');
        await instance.settle(SETTLE_MS);
        await instance.call('stop', 'terminate');
        await instance.look();
      });
    },
  );
});
