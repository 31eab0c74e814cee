/** Starting a stopped instance: path and effect are open, but it must stay the same instance. */

import { accepted } from '../../harness/checks/compute/answers.ts';
import { costKept } from '../../harness/checks/compute/meters.ts';
import { costOfNewRun, restarted, totalsKept } from '../../harness/checks/compute/runs.ts';
import { isListed } from '../../harness/checks/collection/filter.ts';
import { actionRecordOf, isSuccess } from '../../harness/checks/compute/records.ts';
import { identity, sameDescription } from '../../harness/checks/compute/record-relations.ts';
import { sameDisk } from '../../harness/checks/compute/storage.ts';
import { notObserved, pass } from '../../harness/checks/judgement.ts';
import { stillIn } from '../../harness/checks/compute/actions.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { startOfTerminating } from '../../harness/drivers/compute/terminating.ts';
import { OUT_OF_SIGHT } from '../../harness/drivers/compute/terminations.ts';
import { NotExercised, judgeOrLack } from '../../harness/runner/case.ts';
import { restart, startOfOne } from '../../harness/drivers/compute/restart.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { refusesIds } from './actions.ts';

const waitsLong = true;

const of = idsIn('start-instance');

export default computeSection('start-instance', (test) => {
  refusesIds(test, 'start-instance');

  test(
    'a start of a stopped instance is accepted',
    { judges: [of('stopped-accepted'), of('answer')], waitsLong },
    async (t) => {
      const { answer } = await startOfOne(t);
      const what = 'A start of a stopped instance';
      t.judge(of('stopped-accepted'), accepted(answer, what));
      const { status = 'nothing', body } = answer.response ?? {};
      t.record(
        of('answer'),
        `the start of a stopped instance answers ${status} with ${body?.length ?? 0} bytes`,
        answer,
      );
    },
  );

  test(
    'an instance that was started leaves STOPPED, and is the same as before',
    { judges: [of('leaves-stopped'), of('keeps-identity')], waitsLong },
    async (t) => {
      const { settled, before, after } = await restart(t);
      judgeOrLack(
        t,
        of('leaves-stopped'),
        settled,
        'the instance erred after its start, and what follows is not shown',
      );
      judgeOrLack(
        t,
        of('keeps-identity'),
        sameDescription(before, after, identity),
        'the records have no name and no GPU model',
      );
    },
  );

  test(
    'the new run has a date and a cost of its own, and the totals go on',
    { judges: [of('started-anew'), of('cost-of-new-run'), of('keeps-totals')], waitsLong },
    async (t) => {
      const { before, listedBefore, listed, apartMs } = await restart(t);
      const isSeen = listed !== undefined && listedBefore !== undefined;
      judgeOrLack(
        t,
        of('started-anew'),
        listed === undefined ? notObserved : restarted(before.record, listed, apartMs),
        'the dates of the starts are missing or too coarse, or the second was not met running',
      );
      judgeOrLack(
        t,
        of('cost-of-new-run'),
        isSeen ? costOfNewRun(listedBefore, listed) : notObserved,
        'what the runs before have cost is no more than a credit and the price of an hour',
      );
      judgeOrLack(
        t,
        of('keeps-totals'),
        isSeen ? totalsKept({ single: before, listed: listedBefore }, listed) : notObserved,
        'the first run came to nothing in hours and credits, or the list does not tell the second one from it',
      );
    },
  );

  test(
    'an instance that was started again can be stopped',
    {
      judges: [
        of('elsewhere'),
        'compute.stop-instance.running-accepted',
        'compute.stop-instance.stopped-accepted',
        'compute.states.running-stop-settles',
        'compute.list-instances.own-listed',
      ],
      waitsLong,
    },
    async (t) => {
      const { probe, after, listed, whole, secondStart, stop, ended, stopAfter } = await restart(t);
      const status = secondStart.response?.status ?? 'nothing';
      const note = `a start of an instance that is ${after.status} answers ${status}`;
      t.record(of('elsewhere'), note, secondStart);
      judgeOrLack(
        t,
        'compute.stop-instance.running-accepted',
        stop === undefined ? notObserved : accepted(stop, 'A stop of what was started again'),
        'the run that was started had ended by itself',
      );
      t.judge(
        'compute.stop-instance.stopped-accepted',
        stopAfter === undefined
          ? notObserved
          : accepted(stopAfter, 'A stop of what has stopped again'),
      );
      judgeOrLack(
        t,
        'compute.states.running-stop-settles',
        ended,
        'the run that was started had ended by itself, or the instance erred',
      );
      // The stop follows the read of the list, and shows that the instance is still the caller's.
      const isOurs = whole !== undefined && stop !== undefined && isSuccess(stop);
      const kept = isOurs ? isListed(probe.id, whole, stop) : notObserved;
      judgeOrLack(
        t,
        'compute.list-instances.own-listed',
        listed === undefined ? kept : pass(),
        'the list did not show the instance before its start, or the run had ended by itself',
      );
    },
  );

  test(
    'an instance that was started again has kept its disk and what it cost',
    { judges: [of('keeps-storage'), 'compute.instance-record.action-cost-not-reset'], waitsLong },
    async (t) => {
      const { stopBefore, stopAfter } = await restart(t);
      const costBefore = actionRecordOf(stopBefore) ?? {};
      judgeOrLack(
        t,
        of('keeps-storage'),
        stopAfter === undefined ? notObserved : sameDisk(stopBefore, stopAfter, 'by a start'),
        'the answers to stops show no disk',
      );
      judgeOrLack(
        t,
        'compute.instance-record.action-cost-not-reset',
        stopAfter === undefined ? notObserved : costKept(costBefore, stopAfter),
        'the first run had cost next to nothing before it was stopped',
      );
    },
  );

  test(
    'a start does not bring back what is being destroyed',
    { judges: ['compute.states.terminated-survives-start'], waitsLong: true },
    async (t) => {
      const settled = await startOfTerminating(t);
      judgeOrLack(t, 'compute.states.terminated-survives-start', settled, OUT_OF_SIGHT);
    },
  );

  test(
    'a start does not bring a terminated instance back',
    { judges: ['compute.states.terminated-survives-start'], waitsLong },
    async (t) => {
      const probe = new InstanceProbe(t, await t.terminated());
      const start = await t.api.start(probe.id);
      const observations = await probe.watch();
      if (observations.length === 0) throw new NotExercised(OUT_OF_SIGHT);
      for (const seen of observations) {
        const stays = stillIn(seen, ['TERMINATED'], start, 'A start of a terminated instance');
        t.judge('compute.states.terminated-survives-start', stays);
      }
    },
  );
});
