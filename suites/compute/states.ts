import { earlyOrderKept, orderKept } from '../../harness/checks/compute/lifecycle-order.ts';
import { agreesAround } from '../../harness/checks/compute/action-agreement.ts';
import { accepted, answeredWith } from '../../harness/checks/compute/answers.ts';
import { terminationKept } from '../../harness/checks/compute/new-run.ts';
import { instancesOf, isSuccess } from '../../harness/checks/compute/records.ts';
import {
  type RuntimeReading,
  runtimeIn,
  runtimeKept,
} from '../../harness/checks/compute/resting-runtime.ts';
import { stopOfRunning } from '../../harness/checks/compute/settling.ts';
import { stillIn } from '../../harness/checks/compute/shown-state.ts';
import { costKept } from '../../harness/checks/compute/variants.ts';
import { diskKept, sameDisk, useKept } from '../../harness/checks/compute/storage-figure.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { LONGEST_NOTE, noteOf } from '../../harness/generate/reason-note.ts';
import { again as tryAgain } from '../../harness/drivers/again.ts';
import { CATCHING_UP_MS } from '../../harness/drivers/compute/lag.ts';
import { requireStillRan } from '../../harness/drivers/compute/left-running.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { restsInTheEnd } from '../../harness/drivers/compute/resting.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { watch } from '../../harness/drivers/compute/watching.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** Milliseconds for which an instance that has stopped is watched. */
const AFTER_A_STOP_MS = 1_800;
/** Looks that are spread over that time. */
const LOOKS_AFTER_A_STOP = 4;
const OUT_OF_SIGHT = 'terminated instances are not to be seen here';

/** The runtime of an instance that has stopped, over a while, for as long as it is STOPPED. */
async function runtimeWhileStopped(
  life: Life,
  signal: AbortSignal,
): Promise<readonly RuntimeReading[]> {
  const sightings = await watch(life, signal, {
    forMs: AFTER_A_STOP_MS,
    looks: LOOKS_AFTER_A_STOP,
  });
  return sightings
    .filter(({ status }) => status === 'STOPPED')
    .flatMap(({ record, exchange }) => runtimeIn(record, exchange));
}

export default computeSection('states', (test) => {
  test(
    'an instance boots, runs and stops in the documented order, and keeps its disk',
    {
      judges: [
        'compute.states.order-kept',
        'compute.states.early-order-kept',
        'compute.states.storage-kept',
        'compute.states.storage-use-kept',
        'compute.states.passed-through',
        'compute.instance-record.action-cost-not-reset',
        'compute.instance-record.action-agrees-with-list',
      ],
      waits: true,
      requests: 36,
    },
    async (t) => {
      const life = await Life.running(t);
      const booting = life.looks.map(({ state }) => state);
      t.record(
        'compute.states.passed-through',
        `seen on the way: ${[...new Set(booting)].join(', ')}`,
      );
      const listed = await t.lookInList(life.id);
      const stop = await t.api.stop(life.id, { json: { reason_note: noteOf(LONGEST_NOTE) } });
      await requireStillRan(life, stop, listed?.record);
      t.judge(
        'compute.stop-instance.reason-note-maximum',
        accepted(stop, `A stop of a running instance with a note of ${LONGEST_NOTE} characters`),
      );
      if (!isSuccess(stop)) throw new NotExercised('the stop was not accepted');
      judgeOrLack(
        t,
        'compute.instance-record.action-cost-not-reset',
        listed === undefined ? notObserved : costKept(listed.record, stop),
        'the run had cost next to nothing before it was stopped',
      );
      if (listed !== undefined) {
        t.judge('compute.states.storage-kept', diskKept(listed.record, stop));
      }
      await life.follow(stopOfRunning);
      const hasStopped = life.looks.at(-1)?.state === 'STOPPED';
      // A copy may show that it has stopped from before it was started: what is refused for that is not for long.
      const again = await tryAgain(
        async () => t.api.stop(life.id),
        (answer) => isSuccess(answer) || !hasStopped,
        CATCHING_UP_MS,
        t.signal,
      );
      if (hasStopped) {
        t.judge(
          'compute.stop-instance.stopped-accepted',
          accepted(again, 'A stop of an instance that was stopped before'),
        );
      }
      judgeOrLack(
        t,
        'compute.states.storage-kept',
        sameDisk(stop, again, 'while it stopped'),
        'the answers to stops show no disk',
      );
      let useStill = notObserved;
      // A copy that is behind may show what was before a start.
      if (listed?.status === 'RUNNING') {
        t.judge('compute.instance-record.action-cost-not-reset', costKept(listed.record, again));
        t.judge('compute.states.runtime-rests', runtimeKept(listed, again));
        const settled = await t.lookInList(life.id);
        t.judge(
          'compute.instance-record.action-agrees-with-list',
          agreesAround(listed, stop, settled),
        );
        useStill = settled === undefined ? notObserved : useKept(listed, settled);
      }
      judgeOrLack(
        t,
        'compute.states.storage-use-kept',
        useStill,
        'lists do not show it running with a gigabyte in use, and then stopped',
      );
      // What has stopped starts only when it is asked to, and its runtime is over.
      const rests = await restsInTheEnd(async () => runtimeWhileStopped(life, t.signal), t.signal);
      t.judge('compute.states.runtime-rests', rests);
      t.judge('compute.states.order-kept', orderKept(life.looks));
      t.judge('compute.states.early-order-kept', earlyOrderKept(life.looks));
    },
  );

  test(
    'polling the single record shows an instance settle',
    {
      judges: ['compute.states.polling-settles', 'compute.stop-instance.reason-note-accepted'],
      waits: true,
      requests: 20,
    },
    async (t) => {
      const life = await Life.running(t);
      const listed = await t.lookInList(life.id);
      const stop = await t.api.stop(life.id, { json: { reason_note: 'not needed any more' } });
      await requireStillRan(life, stop, listed?.record);
      t.judge(
        'compute.stop-instance.reason-note-accepted',
        accepted(stop, 'A stop of a running instance with a note'),
      );
      if (!isSuccess(stop)) throw new NotExercised('the stop was not accepted');
      judgeOrLack(
        t,
        'compute.states.polling-settles',
        await life.follow(stopOfRunning, { blameRecord: true }),
        'the instance erred while it stopped, and what follows is not shown',
      );
    },
  );

  test(
    'a stopped instance stays stopped, and its runtime rests',
    {
      judges: ['compute.states.stopped-stays', 'compute.states.runtime-rests'],
      waits: true,
      requests: 10,
    },
    async (t) => {
      const life = new Life(t, await t.stopped());
      const stop = await t.api.stop(life.id);
      const rests = await restsInTheEnd(async () => {
        const sightings = await watch(life, t.signal);
        if (sightings.length === 0) throw new NotExercised(`${life.id} is out of sight`);
        for (const seen of sightings) {
          t.judge(
            'compute.states.stopped-stays',
            stillIn(seen, ['STOPPED'], stop, 'A stop of a stopped instance'),
          );
        }
        return sightings.flatMap(({ record, exchange }) => runtimeIn(record, exchange));
      }, t.signal);
      judgeOrLack(t, 'compute.states.runtime-rests', rests, 'the record shows no runtime');
    },
  );

  test(
    'a terminated instance is watched and stays terminated',
    {
      judges: ['compute.states.terminated-stays', 'compute.instance-record.terminated-date-stays'],
      waits: true,
      requests: 14,
    },
    async (t) => {
      const life = new Life(t, await t.terminated());
      const sightings = await watch(life, t.signal);
      const [first] = sightings;
      if (first === undefined) throw new NotExercised(OUT_OF_SIGHT);
      for (const seen of sightings) {
        t.judge(
          'compute.states.terminated-stays',
          stillIn(seen, ['TERMINATED'], first.exchange, 'Time'),
        );
      }
      if (t.target.consent.terminate && t.bindings.terminate !== undefined) {
        t.judge(
          'compute.terminate-instance.terminated-conflict',
          answeredWith(
            await t.api.terminate(life.id),
            409,
            'A terminate of what was terminated long ago',
          ),
        );
      }
      // Nor does what is refused date it anew.
      if (t.target.consent.stop) await t.api.stop(life.id);
      const last = await life.look();
      judgeOrLack(
        t,
        'compute.instance-record.terminated-date-stays',
        last === undefined ? notObserved : terminationKept(first, last),
        'the dates of the termination are missing, or name no instant',
      );
    },
  );

  test(
    'a start does not bring a terminated instance back',
    { judges: ['compute.states.terminated-survives-start'], waits: true, requests: 12 },
    async (t) => {
      const life = new Life(t, await t.terminated());
      const start = await t.api.start(life.id);
      const sightings = await watch(life, t.signal);
      if (sightings.length === 0) throw new NotExercised(OUT_OF_SIGHT);
      for (const seen of sightings) {
        t.judge(
          'compute.states.terminated-survives-start',
          stillIn(seen, ['TERMINATED'], start, 'A start of a terminated instance'),
        );
      }
    },
  );

  test(
    'instances that erred are recorded',
    { judges: ['compute.states.errored-entry'] },
    async (t) => {
      const answer = await t.api.list({ status: 'errored', size: 200 });
      const erred = instancesOf(answer)?.length ?? 0;
      t.record(
        'compute.states.errored-entry',
        `${erred === 200 ? 'at least 200' : erred} instances are ERRORED; the transitions of the run tell whether one was seen to enter it`,
        answer,
      );
    },
  );
});
