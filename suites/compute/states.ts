/** The states of an instance: their order, and the values that do not change in each. */

import { agreesAround, listedInItsWay } from '../../harness/checks/compute/record-relations.ts';
import { accepted, answeredWith } from '../../harness/checks/compute/answers.ts';
import { costKept } from '../../harness/checks/compute/meters.ts';
import { datedBetween } from '../../harness/checks/compute/figures.ts';
import {
  runtimeIn,
  runtimeKept,
  startKept,
  terminationKept,
} from '../../harness/checks/compute/runs.ts';
import { earlyOrderKept, orderKept } from '../../harness/checks/compute/lifecycle.ts';
import { answeredRecord, instancesOf } from '../../harness/checks/compute/records.ts';
import { stillIn } from '../../harness/checks/compute/actions.ts';
import { diskKept, sameDisk, useKept } from '../../harness/checks/compute/storage.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { restsInTheEnd } from '../../harness/drivers/compute/actions.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { bootRunStop, stopOfRunning } from '../../harness/drivers/compute/stops.ts';
import {
  lifecycleCommands,
  sequences,
  actorsOf,
  lingerOn,
  playShortSchedules,
  playToTheEnd,
  SETTLE_MS,
} from '../../harness/lifecycle/commands.ts';
import { TrackedInstance, untilBroken } from '../../harness/lifecycle/tracked-instance.ts';
import { LONGEST_NOTE } from '../../harness/generate/bodies.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { underWay } from '../../harness/runner/retry.ts';

const of = idsIn('states');

const OUT_OF_SIGHT = 'terminated instances are not to be seen here';
const waitsLong = true;

const MAX_COMMANDS = 12;
/** Disposable instances are expensive, so few schedules run and shrinking is short. */
const PROPERTY = { weight: 0.1, mostShrinks: 25, timeLimitMs: 3 * 60_000 };
export default computeSection('states', (test) => {
  test(
    'an instance boots, runs and stops in the documented order',
    {
      judges: [
        of('order-kept'),
        of('early-order-kept'),
        of('passed-through'),
        of('polling-settles'),
        'compute.stop-instance.reason-note-maximum',
        'compute.instance-record.dates-fit-the-clock',
      ],
      waitsLong,
    },
    async (t) => {
      const { probe, booted, running, stop, stopped, settled } = await bootRunStop(t);
      t.judge(of('order-kept'), orderKept(probe.observedStates));
      t.judge(of('early-order-kept'), earlyOrderKept(probe.observedStates));
      const states = [...new Set(booted.map(({ state }) => state))];
      t.record(of('passed-through'), `seen on the way: ${states.join(', ')}`);
      const what = `A stop of a running instance with a note of ${LONGEST_NOTE} characters`;
      t.judge('compute.stop-instance.reason-note-maximum', accepted(stop, what));
      const [first, last] = [booted[0], booted.at(-1)];
      const readings = [running, stopped].filter((seen) => seen !== undefined);
      if (first !== undefined && last !== undefined && first.state !== 'RUNNING') {
        const dated = datedBetween('started_at', readings, first.exchange, last.exchange);
        t.judge('compute.instance-record.dates-fit-the-clock', dated);
      } else t.notExercised('compute.instance-record.dates-fit-the-clock', 'no boot was seen');
      judgeOrLack(
        t,
        of('polling-settles'),
        settled,
        'the stop was refused, or the instance erred, and what follows is not shown',
      );
    },
  );

  test(
    'an instance keeps its disk and what is in use of it when it is stopped',
    { judges: [of('storage-kept'), of('storage-use-kept')], waitsLong },
    async (t) => {
      const { running, stop, secondStop, stopped } = await bootRunStop(t);
      if (running !== undefined) {
        t.judge(of('storage-kept'), diskKept(running.record, stop));
      }
      judgeOrLack(
        t,
        of('storage-kept'),
        secondStop === undefined ? notObserved : sameDisk(stop, secondStop, 'while it stopped'),
        'the answers to stops show no disk',
      );
      judgeOrLack(
        t,
        of('storage-use-kept'),
        running === undefined || stopped === undefined ? notObserved : useKept(running, stopped),
        'lists do not show it running with a gigabyte in use, and then stopped',
      );
    },
  );

  test(
    'a run that was stopped is over: its runtime rests, and its cost stays',
    {
      judges: [
        of('runtime-rests'),
        'compute.instance-record.action-cost-not-reset',
        'compute.instance-record.action-agrees-with-list',
        'compute.instance-record.lists-describe-alike',
        'compute.stop-instance.stopped-accepted',
      ],
      waitsLong,
    },
    async (t) => {
      const { running, stop, secondStop, stopped, rests } = await bootRunStop(t);
      judgeOrLack(t, of('runtime-rests'), rests, 'the runtime has too few digits');
      if (secondStop === undefined) throw new NotExercised('the instance never was seen to stop');
      t.judge(
        'compute.stop-instance.stopped-accepted',
        accepted(secondStop, 'A stop of an instance that was stopped before'),
      );
      // A replica that lags may show the state before a start.
      if (running?.status !== 'RUNNING') throw new NotExercised('the list did not show it running');
      t.judge(of('runtime-rests'), runtimeKept(running, secondStop));
      for (const answer of [stop, secondStop]) {
        judgeOrLack(
          t,
          'compute.instance-record.action-cost-not-reset',
          costKept(running.record, answer),
          'the run had cost next to nothing before it was stopped',
        );
      }
      const agrees = agreesAround(running, stop, stopped);
      t.judge('compute.instance-record.action-agrees-with-list', agrees);
      const answered = answeredRecord(stop);
      judgeOrLack(
        t,
        'compute.instance-record.lists-describe-alike',
        answered && stopped ? listedInItsWay(running, answered, stopped) : notObserved,
        'the list shows it as the answer to its stop does, or does not show it stopped',
      );
    },
  );

  test(
    'a running instance that was stopped settles, and keeps the date of its start',
    { judges: [of('running-stop-settles'), of('stop-keeps-start')], waitsLong },
    async (t) => {
      const { before, settled, after } = await stopOfRunning(t);
      judgeOrLack(
        t,
        of('running-stop-settles'),
        settled,
        'the instance erred or vanished while it stopped, and what follows is not shown',
      );
      judgeOrLack(
        t,
        of('stop-keeps-start'),
        startKept(before, after),
        'the dates of the start are missing, or name no instant',
      );
    },
  );

  test(
    'a stopped instance stays stopped, and its runtime rests',
    { judges: [of('stopped-stays'), of('runtime-rests')], waitsLong },
    async (t) => {
      const probe = new InstanceProbe(t, await t.stopped());
      const stop = await t.api.stop(probe.id);
      const rests = await restsInTheEnd(t, async () => {
        const observations = await probe.watch();
        if (observations.length === 0)
          throw new NotExercised(`no list or record shows instance ${probe.id}`);
        for (const seen of observations) {
          const stays = stillIn(seen, ['STOPPED'], stop, 'A stop of a stopped instance');
          t.judge(of('stopped-stays'), stays);
        }
        return observations.flatMap(({ record, exchange }) => runtimeIn(record, exchange));
      });
      judgeOrLack(t, of('runtime-rests'), rests, 'the record shows too few digits');
    },
  );

  test(
    'a terminated instance is watched and stays terminated',
    {
      judges: [of('terminated-stays'), 'compute.instance-record.terminated-date-stays'],
      waitsLong,
    },
    async (t) => {
      const probe = new InstanceProbe(t, await t.terminated());
      const observations = await probe.watch();
      const [first] = observations;
      if (first === undefined) throw new NotExercised(OUT_OF_SIGHT);
      for (const seen of observations) {
        const stays = stillIn(seen, ['TERMINATED'], first.exchange, 'Time');
        t.judge(of('terminated-stays'), stays);
      }
      // A rejected stop must not change the date either.
      if (t.target.consent.stop) await t.api.stop(probe.id);
      if (t.target.consent.terminate && t.bindings.terminate !== undefined)
        await t.api.terminate(probe.id);
      const last = await probe.observe();
      judgeOrLack(
        t,
        'compute.instance-record.terminated-date-stays',
        last === undefined ? notObserved : terminationKept(first, last),
        'the dates of the termination are missing, or name no instant',
      );
    },
  );

  test(
    'a terminate of what was terminated long ago is a conflict',
    { judges: ['compute.terminate-instance.terminated-conflict'], needs: ['instances.terminated'] },
    async (t) => {
      const answer = await t.api.terminate(await t.terminated());
      const what = 'A terminate of what was terminated long ago';
      t.judge('compute.terminate-instance.terminated-conflict', answeredWith(answer, 409, what));
    },
  );

  test(
    'no schedule of calls brings an instance where the transitions do not lead',
    { judges: [of('order-kept')], waitsLong },
    async (t) => {
      const actors = actorsOf(t);
      // A terminated instance may wrongly revive later, so these are watched while other schedules run.
      const lingering = underWay(lingerOn(await playShortSchedules(t, actors)));
      const commands = sequences(lifecycleCommands(actors), MAX_COMMANDS);
      try {
        await t.property(
          'schedules of calls',
          commands,
          async (schedule, judge) => playToTheEnd(t, actors, schedule, judge),
          PROPERTY,
        );
      } finally {
        await lingering;
      }
    },
  );

  test(
    'stops and terminates in flight together get answers that some order of them allows',
    { judges: [of('concurrent-calls')], waitsLong },
    async (t) => {
      // Each begins with a running instance: only a stop that has something to do can overtake a terminate.
      for (const together of [
        ['stop', 'stop', 'stop'],
        ['stop', 'terminate', 'terminate'],
      ] as const) {
        const { id } = await InstanceProbe.running(t);
        const instance = new TrackedInstance(t, id, (one, judgement) => t.judge(one, judgement));
        await untilBroken(async () => {
          await instance.observe();
          for (const calls of [together, ['stop', 'terminate']] as const) {
            await instance.call(...calls);
            await instance.settle(SETTLE_MS);
          }
        });
      }
    },
  );

  test('instances that erred are recorded', { judges: [of('errored-entry')] }, async (t) => {
    const answer = await t.api.list({ status: 'errored', size: 200 });
    const erred = instancesOf(answer)?.length ?? 0;
    t.record(
      of('errored-entry'),
      `${erred === 200 ? 'at least 200' : erred} instances are ERRORED; the transitions of the run tell whether one was seen to enter it`,
      answer,
    );
  });
});
