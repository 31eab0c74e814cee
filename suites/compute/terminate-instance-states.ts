import { agreesAround, sameHardware } from '../../harness/checks/compute/action-agreement.ts';
import { accepted, answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { foreignNotFound } from '../../harness/checks/compute/foreign.ts';
import { onlyTerminated } from '../../harness/checks/compute/final-state.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { termination } from '../../harness/checks/compute/settling.ts';
import { stateIn, stillIn } from '../../harness/checks/compute/shown-state.ts';
import { noEarlyConflict } from '../../harness/checks/compute/termination.ts';
import { pause } from '../../harness/exchange/budget.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { LONGEST_NOTE, noteOf } from '../../harness/generate/reason-note.ts';
import type { Sighting } from '../../harness/drivers/compute/instances.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { terminatePatiently } from '../../harness/drivers/compute/terminating.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const OUT_OF_SIGHT = 'the instance erred, or terminated instances are not to be seen here';
/** Without waiting for a place among the requests of other cases: the state passes. */
const SOON = { unbounded: true };
/** A state that is none of a termination may pass as soon as the instance is TERMINATED. */
const CLOSELY = { closely: true };
/** Milliseconds after which an instance that was terminated is looked at once more. */
const AFTER_A_TERMINATION_MS = 1_500;
const early: ReadonlySet<string> = new Set(['CREATED', 'DEPLOYED', 'STARTING', 'ERRORED']);

/** Instances on which a call must fail, and starts after which one must run at once, before that is no chance. */
const TRIES = 3;

/**
 * Terminates an instance that is STOPPING. A call that fails is not repeated, which would meet the next state, but tried
 * on further instances. Throws `NotExercised` when none was met in STOPPING.
 */
async function terminatedWhileStopping(
  t: ComputeContext,
): Promise<{ readonly life: Life; readonly answer: Exchange }> {
  for (let tried = 1; ; tried += 1) {
    const life = await Life.running(t);
    const stop = await t.api.stop(life.id);
    // The answer may show the state before: then a look tells.
    const shown = stateIn(stop) === 'STOPPING' ? 'STOPPING' : (await life.look(true))?.status;
    const answer = await t.api.terminate(life.id, { ...SOON, repeat: false });
    if (!isSuccess(stop) || shown !== 'STOPPING') {
      throw new NotExercised('no instance was met in STOPPING');
    }
    const isTrouble = (answer.response?.status ?? 500) >= 429;
    if (!isTrouble || tried === TRIES) return { life, answer };
  }
}

/** A task that was under way when the instance was terminated may end later, and must not bring it back. */
async function staysTerminated(t: ComputeContext, life: Life): Promise<void> {
  if (life.looks.at(-1)?.state !== 'TERMINATED') return;
  await pause(AFTER_A_TERMINATION_MS, t.signal);
  await life.look();
}

export default computeSection('terminate-instance', (test) => {
  test(
    'an instance that does not run yet is terminated',
    {
      judges: [
        'compute.terminate-instance.early-accepted',
        'compute.terminate-instance.terminating-no-conflict',
      ],
      waits: true,
      requests: 30,
    },
    async (t) => {
      const { life, answer } = await terminatePatiently(t.api, SOON, async () => {
        const any = await Life.any(t);
        if ((await any.look(true)) !== undefined) return any;
        throw new NotExercised('a disposable instance was not in sight at once');
      });
      const before = life.looks[0]?.state ?? 'in no documented state';
      if (!early.has(before)) {
        throw new NotExercised(`a disposable instance was first seen ${before}`);
      }
      t.judge(
        'compute.terminate-instance.early-accepted',
        accepted(answer, `A terminate of an instance that is ${before}`),
      );
      t.judge(
        'compute.terminate-instance.terminating-no-conflict',
        noEarlyConflict(answer, isSuccess(answer) ? undefined : await life.look()),
      );
      if (!isSuccess(answer)) return;
      t.judge('compute.states.terminate-settles', await life.follow(termination, CLOSELY));
      await staysTerminated(t, life);
      // A list shows as well what it tells of an instance that never ran.
      await t.api.list({ status: 'terminated', size: 200 });
    },
  );

  test(
    'an instance that is still stopping is terminated, and the stop need not settle first',
    {
      judges: [
        'compute.terminate-instance.stopping-accepted',
        'compute.terminate-instance.terminating-no-conflict',
        'compute.states.terminate-while-stopping-settles',
      ],
      waits: true,
      requests: 35,
    },
    async (t) => {
      const { life, answer } = await terminatedWhileStopping(t);
      t.judge(
        'compute.terminate-instance.stopping-accepted',
        accepted(answer, 'A terminate of an instance that is STOPPING'),
      );
      t.judge(
        'compute.terminate-instance.terminating-no-conflict',
        noEarlyConflict(answer, isSuccess(answer) ? undefined : await life.look()),
      );
      if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
      judgeOrLack(
        t,
        'compute.states.terminate-while-stopping-settles',
        await life.follow(termination, CLOSELY),
        OUT_OF_SIGHT,
      );
      await staysTerminated(t, life);
    },
  );

  test(
    'a stopped instance is terminated, and a stop does not bring it back',
    {
      judges: [
        'compute.terminate-instance.stopped-accepted',
        'compute.terminate-instance.reason-note-too-long',
        'compute.terminate-instance.terminating-no-conflict',
        'compute.terminate-instance.body-absent',
        'compute.stop-instance.terminating-conflict',
        'compute.states.refused-stop-keeps-terminating',
        'compute.list-instances.status-terminated',
        'compute.instance-record.action-agrees-with-list',
      ],
      waits: true,
      requests: 37,
    },
    async (t) => {
      const met: { readonly listed: Sighting | undefined; readonly lastStop: Exchange }[] = [];
      const { life, answer } = await terminatePatiently(t.api, {}, async () => {
        const stopped = await Life.stopped(t);
        const listed = await t.lookInList(stopped.id);
        const long = { json: { reason_note: noteOf(LONGEST_NOTE + 1) } };
        t.judge(
          'compute.terminate-instance.reason-note-too-long',
          refusedWith(
            await t.api.terminate(stopped.id, long),
            400,
            `A terminate of a stopped instance with a note of ${LONGEST_NOTE + 1} characters`,
          ),
        );
        met.push({ listed, lastStop: await t.api.stop(stopped.id) });
        return stopped;
      });
      // The answer may show the state before: then a look tells.
      const shown =
        stateIn(answer) === 'TERMINATING' ? 'TERMINATING' : (await life.look(true))?.status;
      const [stop, secondStop, terminated, foreign] = await Promise.all([
        t.api.stop(life.id, SOON),
        t.api.stop(life.id, SOON),
        t.api.list({ status: 'terminated', size: 200 }, SOON),
        t.target.keys.second === undefined
          ? undefined
          : t.api.terminate(life.id, { ...SOON, as: 'second' }),
      ]);
      const after = isSuccess(answer)
        ? await life.lookFresh('TERMINATING', 'TERMINATED')
        : await life.look(true);
      // TERMINATED is final: what a list shows as such can be nothing else any more.
      judgeOrLack(
        t,
        'compute.list-instances.status-terminated',
        onlyTerminated(terminated),
        'no terminated instance is listed',
      );
      t.judge(
        'compute.terminate-instance.stopped-accepted',
        accepted(answer, 'A terminate of a stopped instance'),
      );
      t.judge(
        'compute.terminate-instance.body-absent',
        accepted(answer, 'A terminate without a body'),
      );
      t.judge('compute.terminate-instance.terminating-no-conflict', noEarlyConflict(answer, after));
      if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
      if (shown !== 'TERMINATING' || after === undefined) {
        throw new NotExercised('no instance was met in TERMINATING');
      }
      // One that erred meanwhile may do with a stop what it likes.
      if (after.status === 'ERRORED') throw new NotExercised(OUT_OF_SIGHT);
      t.judge(
        'compute.stop-instance.terminating-conflict',
        answeredWith(stop, 409, 'A stop of an instance that is TERMINATING'),
      );
      if (foreign !== undefined) {
        t.judge(
          'compute.scoping.foreign-terminate',
          foreignNotFound(
            foreign,
            undefined,
            'A terminate from another account of what is TERMINATING',
          ),
        );
      }
      const kept = stillIn(
        after,
        ['TERMINATING', 'TERMINATED'],
        stop,
        'A stop of an instance that is TERMINATING',
      );
      t.judge('compute.states.refused-stop-keeps-terminating', kept);
      if (kept.violations.length > 0) return;
      t.judge(
        'compute.stop-instance.terminating-conflict',
        answeredWith(secondStop, 409, 'A second stop of an instance that was TERMINATING'),
      );
      judgeOrLack(
        t,
        'compute.states.refused-stop-keeps-terminating',
        await life.follow(termination),
        OUT_OF_SIGHT,
      );
      const [last] = met.slice(-1);
      if (last === undefined) return;
      const { listed, lastStop } = last;
      t.judge('compute.instance-record.action-agrees-with-list', sameHardware(lastStop, answer));
      // A copy that is behind may show what was before a start.
      if (listed?.status === 'STOPPED') {
        t.judge(
          'compute.instance-record.action-agrees-with-list',
          agreesAround(listed, answer, await t.lookInList(life.id)),
        );
      }
    },
  );

  test(
    'a start does not bring back what is being destroyed',
    {
      judges: ['compute.states.terminated-survives-start'],
      waits: true,
      requests: 15,
    },
    async (t) => {
      const life = await Life.stopped(t);
      const answer = await t.api.terminate(life.id, SOON);
      await t.api.start(life.id, SOON);
      if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
      judgeOrLack(
        t,
        'compute.states.terminated-survives-start',
        await life.follow(termination),
        OUT_OF_SIGHT,
      );
    },
  );

  test(
    'an instance that is started again can be terminated',
    {
      // A start is the one way to meet STARTING for certain.
      judges: ['compute.terminate-instance.early-accepted'],
      needs: ['bindings.start', 'consent.stop'],
      waits: true,
      requests: 30,
    },
    async (t) => {
      const met: (Sighting | undefined)[] = [];
      const startAgain = async (life: Life): Promise<void> => {
        const start = await t.api.start(life.id, SOON);
        if (!isSuccess(start)) throw new NotExercised('the start was not accepted');
        life.startedSince();
        met.push(await life.look(true));
      };
      const { life: again, answer } = await terminatePatiently(t.api, SOON, async () => {
        const life = await Life.stopped(t);
        await startAgain(life);
        for (let tried = 1; tried < TRIES && met.at(-1)?.status === 'RUNNING'; tried += 1) {
          await life.stopAndWait();
          await startAgain(life);
        }
        return life;
      });
      const [before] = met.slice(-1);
      if (before?.status !== 'STARTING') {
        throw new NotExercised(`what was started was first seen ${before?.status ?? 'nowhere'}`);
      }
      t.judge(
        'compute.terminate-instance.early-accepted',
        accepted(answer, 'A terminate of an instance that is started again'),
      );
      if (!isSuccess(answer)) return;
      t.judge('compute.states.terminate-settles', await again.follow(termination, CLOSELY));
      await staysTerminated(t, again);
    },
  );
});
