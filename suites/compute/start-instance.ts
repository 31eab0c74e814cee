import { accepted, refusedWith } from '../../harness/checks/compute/answers.ts';
import { actionRecordOf, isSuccess } from '../../harness/checks/compute/records.ts';
import { costOfNewRun, startedAnew, totalsKept } from '../../harness/checks/compute/new-run.ts';
import { startOfStopped } from '../../harness/checks/compute/settling.ts';
import { identity, sameDescription } from '../../harness/checks/compute/single-record.ts';
import { sameDisk } from '../../harness/checks/compute/storage-figure.ts';
import { costKept } from '../../harness/checks/compute/variants.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { again as tryAgain } from '../../harness/drivers/again.ts';
import { CATCHING_UP_MS } from '../../harness/drivers/compute/lag.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { startPatiently } from '../../harness/drivers/compute/starting.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

/** Milliseconds of a first run: longer than the second one when that is looked at, and seen by a meter of whole seconds. */
const FIRST_RUN_MS = 1_200;

/** What a start may be refused with although it is right: for want of credit, leave or a host. */
const lacking: ReadonlySet<number> = new Set([402, 403, 409, 503]);

/** A disposable instance that has stopped, after it ran for a while where it was met running. */
async function ranForAWhile(t: ComputeContext): Promise<Life> {
  const life = await Life.any(t);
  if ((await life.rest()) === 'RUNNING') await pause(FIRST_RUN_MS, t.signal);
  await life.stopAndWait();
  return life;
}

export default computeSection('start-instance', (test) => {
  test(
    'a stopped instance starts again, as the same and with its disk',
    {
      judges: [
        'compute.start-instance.stopped-accepted',
        'compute.start-instance.leaves-stopped',
        'compute.start-instance.keeps-identity',
        'compute.start-instance.keeps-storage',
        'compute.start-instance.keeps-totals',
        'compute.start-instance.started-anew',
        'compute.start-instance.cost-of-new-run',
        'compute.start-instance.answer',
        'compute.start-instance.elsewhere',
      ],
      waits: true,
      requests: 36,
    },
    async (t) => {
      const life = await ranForAWhile(t);
      const before = await life.requireStatus('STOPPED');
      const diskBefore = await t.api.stop(life.id);
      const listedBefore = await t.lookInList(life.id);
      const { answer, mayHaveStarted } = await startPatiently(t, life.id);
      life.startedSince();
      const status = answer.response?.status ?? 0;
      if (lacking.has(status)) {
        throw new NotExercised(
          `the start was refused with ${status}: credit, leave or a host is lacking`,
        );
      }
      if (!isSuccess(answer)) {
        const now = (await life.lookFresh())?.status;
        if (now === 'ERRORED') {
          throw new NotExercised('the instance erred, and what a start does then is not shown');
        }
        if (mayHaveStarted && now !== 'STOPPED') {
          throw new Inconclusive('a first try of the start failed, and may have taken effect');
        }
      }
      t.judge(
        'compute.start-instance.stopped-accepted',
        accepted(answer, 'A start of a stopped instance'),
      );
      t.record(
        'compute.start-instance.answer',
        `the start of a stopped instance answers ${answer.response?.status ?? 'nothing'} with ${answer.response?.body.length ?? 0} bytes`,
        answer,
      );
      if (!isSuccess(answer)) throw new NotExercised('the start was not accepted');
      judgeOrLack(
        t,
        'compute.start-instance.leaves-stopped',
        await life.follow(startOfStopped),
        'the instance erred after its start, and what follows is not shown',
      );
      const after = await life.requireStatus();
      judgeOrLack(
        t,
        'compute.start-instance.keeps-identity',
        sameDescription(before.record, after.record, identity, after.exchange, before.exchange),
        'the records have no name and no GPU model',
      );
      // Which variant the single record follows is open: what a run has cost so far is told in the list.
      const firstRun = life.looks.find(({ state }) => state === 'RUNNING')?.exchange;
      const apartMs =
        firstRun === undefined ? 0 : answer.startedAt - (firstRun.startedAt + firstRun.durationMs);
      // A list that is a copy may still show the run before.
      const listed = await tryAgain(
        async () => t.lookInList(life.id),
        (seen) =>
          seen === undefined || startedAnew(before.record, seen, apartMs).violations.length === 0,
        CATCHING_UP_MS,
        t.signal,
      );
      judgeOrLack(
        t,
        'compute.start-instance.started-anew',
        listed === undefined ? notObserved : startedAnew(before.record, listed, apartMs),
        'the dates of the starts are missing or too coarse, or the second was not met running',
      );
      judgeOrLack(
        t,
        'compute.start-instance.cost-of-new-run',
        listed === undefined || listedBefore === undefined
          ? notObserved
          : costOfNewRun(listedBefore, listed),
        'what the runs before have cost is no more than a credit and the price of an hour',
      );
      judgeOrLack(
        t,
        'compute.start-instance.keeps-totals',
        listed === undefined || listedBefore === undefined
          ? notObserved
          : totalsKept({ single: before, listed: listedBefore }, listed),
        'the first run came to nothing in hours and credits, or the list does not tell the second one from it',
      );
      const again = await t.api.start(life.id);
      life.startedSince();
      t.record(
        'compute.start-instance.elsewhere',
        `a start of an instance that is ${after.status} answers ${again.response?.status ?? 'nothing'}`,
        again,
      );
      if ((await life.rest()) === 'RUNNING') {
        const stop = await t.api.stop(life.id);
        // One that ended by itself meanwhile has no stated outcome.
        if (isSuccess(stop) || (await life.requireStatus()).status === 'RUNNING') {
          t.judge(
            'compute.stop-instance.running-accepted',
            accepted(stop, 'A stop of an instance that was started again'),
          );
        }
      }
      await life.stopAndWait();
      const stopped = await t.api.stop(life.id);
      judgeOrLack(
        t,
        'compute.start-instance.keeps-storage',
        sameDisk(diskBefore, stopped, 'by a start'),
        'the answers to stops show no disk',
      );
      if (actionRecordOf(diskBefore) !== undefined) {
        t.judge(
          'compute.instance-record.action-cost-not-reset',
          costKept(actionRecordOf(diskBefore) ?? {}, stopped),
        );
      }
    },
  );

  test(
    'an id that exists nowhere is not found',
    { judges: ['compute.start-instance.unknown-id'] },
    async (t) => {
      const answer = await t.api.start(t.unknownInstanceId());
      t.judge(
        'compute.start-instance.unknown-id',
        refusedWith(answer, 404, 'A start of an unknown id'),
      );
    },
  );
});
