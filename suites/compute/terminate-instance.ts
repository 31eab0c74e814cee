/** The termination of an instance: accepted in every state but TERMINATED, and final. */

import {
  agreesAround,
  lastingChange,
  sameHardware,
} from '../../harness/checks/compute/record-relations.ts';
import { accepted, answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { onlyTerminated } from '../../harness/checks/compute/lifecycle.ts';
import { datedBetween } from '../../harness/checks/compute/figures.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import {
  noEarlyConflict,
  shownBetween,
  stateIn,
  stillIn,
} from '../../harness/checks/compute/actions.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { foreignNotFound } from '../../harness/checks/compute/scoping.ts';
import { wrongBodies } from '../../harness/drivers/compute/actions.ts';
import { experiment } from '../../harness/drivers/compute/standing.ts';
import type { Sighting } from '../../harness/drivers/compute/instances.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { sendWrongBodies } from '../../harness/drivers/compute/stops.ts';
import {
  OUT_OF_SIGHT,
  repeatedTerminates,
  startOfTerminating,
  terminationOfBooting,
  terminationOfRunning,
  terminationOfStarting,
  terminationOfStopped,
  terminationOfStopping,
} from '../../harness/drivers/compute/terminations.ts';
import { LONGEST_NOTE, tellingNotes } from '../../harness/generate/bodies.ts';
import { Inconclusive, judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { findsNoUnknownId, refusesBodies, refusesMalformedIds } from './actions.ts';

const refused = experiment(async (t) => sendWrongBodies(t, 'terminate', wrongBodies));

const MISSED = 'the instance was TERMINATED before a second terminate reached it';

/** How an instance is met, in which it is terminated, and what is judged by its end. */
const terminations = [
  {
    state: 'an instance that does not run yet',
    meet: terminationOfBooting,
    accepted: 'early-accepted',
    settles: 'terminate-settles',
    needs: [],
  },
  {
    state: 'an instance that is started again',
    meet: terminationOfStarting,
    accepted: 'early-accepted',
    settles: 'terminate-settles',
    needs: ['bindings.start', 'consent.stop'],
  },
  {
    state: 'a running instance',
    meet: terminationOfRunning,
    accepted: 'running-accepted',
    settles: 'terminate-settles',
    needs: [],
  },
  {
    state: 'an instance that is still STOPPING',
    meet: terminationOfStopping,
    accepted: 'stopping-accepted',
    settles: 'terminate-while-stopping-settles',
    needs: [],
  },
] as const;

export default computeSection('terminate-instance', (test) => {
  findsNoUnknownId(test, 'terminate-instance');
  refusesMalformedIds(test, 'terminate-instance');
  refusesBodies(test, 'terminate-instance', async (t) => (await refused(t)).answers);

  test(
    'a terminate that is refused for its body destroys nothing',
    {
      judges: ['compute.terminate-instance.refused-note-changes-nothing'],
      waits: true,
      requests: 30,
    },
    async (t) => {
      const { answers, after } = await refused(t);
      const last = answers.at(-1);
      if (last === undefined || isSuccess(last.answer)) {
        throw new NotExercised('a body that is wrong was not refused');
      }
      const [first, second] = after.map((seen) =>
        stillIn(seen, ['RUNNING'], last.answer, 'A terminate with a refused body'),
      );
      if (first === undefined || second === undefined) return;
      const id = 'compute.terminate-instance.refused-note-changes-nothing';
      t.judge(id, lastingChange(first, second));
    },
  );

  test(
    'what a null note does is recorded',
    { judges: ['compute.terminate-instance.reason-note-null'], waits: true },
    async (t) => {
      const { life } = await refused(t);
      const answer = await t.api.terminate(life.id, { json: { reason_note: null } });
      const note = `a null note gets ${answer.response?.status ?? 'nothing'}`;
      t.record('compute.terminate-instance.reason-note-null', note, answer);
    },
  );

  for (const { state, meet, needs, ...ids } of terminations) {
    const isAccepted = `compute.terminate-instance.${ids.accepted}` as const;
    const settles = `compute.states.${ids.settles}` as const;
    test(
      `${state} is terminated, and stays so`,
      {
        judges: [isAccepted, 'compute.terminate-instance.terminating-no-conflict', settles],
        needs,
        waits: true,
        requests: 30,
      },
      async (t) => {
        const { answer, refusedAt, settled } = await meet(t);
        t.judge(isAccepted, accepted(answer, `A terminate of ${state}`));
        t.judge(
          'compute.terminate-instance.terminating-no-conflict',
          noEarlyConflict(answer, refusedAt),
        );
        if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
        judgeOrLack(t, settles, settled, OUT_OF_SIGHT);
      },
    );
  }

  test(
    'a terminate with a note, with the longest one and with an empty object is accepted',
    {
      judges: [
        'compute.terminate-instance.reason-note-accepted',
        'compute.terminate-instance.reason-note-maximum',
        'compute.terminate-instance.body-empty-object',
        'compute.terminate-instance.body-absent',
      ],
      waits: true,
      requests: 20,
    },
    async (t) => {
      for (const [slug, meet, what] of [
        ['reason-note-maximum', terminationOfRunning, `a note of ${LONGEST_NOTE} characters`],
        ['body-empty-object', repeatedTerminates, 'an empty object'],
        ['body-absent', terminationOfStopped, 'no body'],
        ['reason-note-accepted', terminationOfStopping, 'a note'],
      ] as const) {
        const { answer } = await meet(t);
        t.judge(`compute.terminate-instance.${slug}`, accepted(answer, `A terminate with ${what}`));
      }
    },
  );

  test(
    'the answer to a terminate shows a state between those before and after it',
    {
      judges: [
        'compute.terminate-instance.response-state',
        'compute.terminate-instance.success-status',
        'compute.terminate-instance.state-shown',
      ],
      waits: true,
    },
    async (t) => {
      const { life, before, answer } = await terminationOfRunning(t);
      const { status = 'nothing' } = answer.response ?? {};
      const shown = stateIn(answer) ?? 'no state';
      t.record(
        'compute.terminate-instance.success-status',
        `the first terminate answers ${status}`,
        answer,
      );
      t.record(
        'compute.terminate-instance.state-shown',
        `the answer to the first terminate shows ${shown}`,
        answer,
      );
      const [last = before] = life.looks.slice(-1);
      judgeOrLack(
        t,
        'compute.terminate-instance.response-state',
        shownBetween({ ...before, status: before.state }, answer, { ...last, status: last.state }),
        'the answer shows no documented state',
      );
    },
  );

  test(
    'a terminate of a terminated instance is a conflict, whatever its note, and leaves it so',
    {
      judges: [
        'compute.terminate-instance.terminated-conflict',
        'compute.states.terminated-survives-terminate',
        'compute.instance-record.dates-fit-the-clock',
      ],
      waits: true,
      requests: 12,
    },
    async (t) => {
      const { life, answer: first } = await terminationOfRunning(t);
      const ended = life.looks.find(({ state }) => state === 'TERMINATED')?.exchange;
      const readings: Sighting[] = [];
      if (life.looks.at(-1)?.state !== 'TERMINATED') throw new NotExercised(OUT_OF_SIGHT);
      for (const note of [undefined, ...tellingNotes]) {
        const options = note === undefined ? {} : { json: { reason_note: note } };
        const answer = await t.api.terminate(life.id, options);
        const what = `A terminate of a terminated instance with the note ${note?.slice(0, 40)}`;
        t.judge('compute.terminate-instance.terminated-conflict', answeredWith(answer, 409, what));
        const seen = await life.look();
        if (seen !== undefined) readings.push(seen);
        const kept = stillIn(seen, ['TERMINATED'], answer, what);
        t.judge('compute.states.terminated-survives-terminate', kept);
        if (kept.violations.length > 0) return;
      }
      judgeOrLack(
        t,
        'compute.instance-record.dates-fit-the-clock',
        ended === undefined ? notObserved : datedBetween('terminated_at', readings, first, ended),
        'the end of the instance, or its date, was not seen twice',
      );
    },
  );

  test(
    'a stop of what was terminated just now is a conflict',
    { judges: ['compute.stop-instance.terminated-conflict'], waits: true },
    async (t) => {
      const { life } = await terminationOfRunning(t);
      if (life.looks.at(-1)?.state !== 'TERMINATED') throw new NotExercised(OUT_OF_SIGHT);
      const answer = await t.api.stop(life.id);
      const what = 'A stop of what was terminated just now';
      t.judge('compute.stop-instance.terminated-conflict', answeredWith(answer, 409, what));
    },
  );

  test(
    'a terminate that is repeated at once is accepted or answered with 500, and never a conflict too early',
    {
      judges: [
        'compute.terminate-instance.terminating-answer',
        'compute.terminate-instance.terminating-no-conflict',
        'compute.terminate-instance.gone-answer',
        'compute.states.terminate-again-settles',
      ],
      waits: true,
      requests: 40,
    },
    async (t) => {
      const { terminating, conflicts, statuses, settled } = await repeatedTerminates(t);
      const note = `terminates that were repeated at once got ${statuses.join(', ')}`;
      t.record('compute.terminate-instance.gone-answer', note);
      judgeOrLack(t, 'compute.terminate-instance.terminating-no-conflict', conflicts, MISSED);
      judgeOrLack(t, 'compute.terminate-instance.terminating-answer', terminating, MISSED);
      judgeOrLack(t, 'compute.states.terminate-again-settles', settled, OUT_OF_SIGHT);
    },
  );

  test(
    'a stopped instance is terminated, and nobody else may do so',
    {
      judges: [
        'compute.terminate-instance.stopped-accepted',
        'compute.terminate-instance.reason-note-too-long',
        'compute.terminate-instance.terminating-no-conflict',
        'compute.list-instances.status-terminated',
        'compute.scoping.foreign-terminate',
      ],
      waits: true,
      requests: 37,
    },
    async (t) => {
      const { long, answer, after, terminatedList, foreign } = await terminationOfStopped(t);
      const what = 'A terminate of a stopped instance';
      const isLong = refusedWith(long, 400, `${what} with a note that is too long`);
      t.judge('compute.terminate-instance.reason-note-too-long', isLong);
      t.judge('compute.terminate-instance.stopped-accepted', accepted(answer, what));
      t.judge('compute.terminate-instance.terminating-no-conflict', noEarlyConflict(answer, after));
      // TERMINATED is final: what a list shows as such can be nothing else any more.
      judgeOrLack(
        t,
        'compute.list-instances.status-terminated',
        onlyTerminated(terminatedList),
        'no terminated instance is listed',
      );
      judgeOrLack(
        t,
        'compute.scoping.foreign-terminate',
        foreign === undefined
          ? notObserved
          : foreignNotFound(
              foreign,
              undefined,
              'A terminate from another account of what is TERMINATING',
            ),
        'the second key is not in the target file',
      );
    },
  );

  test(
    'a stop of what is TERMINATING is a conflict, and does not bring it back',
    {
      judges: [
        'compute.stop-instance.terminating-conflict',
        'compute.states.refused-stop-keeps-terminating',
      ],
      waits: true,
    },
    async (t) => {
      const { answer, stops, after, isMetTerminating, settled } = await terminationOfStopped(t);
      if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
      if (after?.status === 'ERRORED') throw new NotExercised(OUT_OF_SIGHT);
      for (const stop of stops) {
        const what = 'A stop of an instance that is TERMINATING';
        const conflict = answeredWith(stop, 409, what);
        judgeOrLack(
          t,
          'compute.stop-instance.terminating-conflict',
          // A conflict shows nothing where the instance may have been TERMINATED already.
          isMetTerminating || conflict.violations.length > 0 ? conflict : notObserved,
          'the instance was TERMINATED by the time that stops were answered',
        );
        const kept = stillIn(after, ['TERMINATING', 'TERMINATED'], stop, what);
        t.judge('compute.states.refused-stop-keeps-terminating', kept);
      }
      judgeOrLack(t, 'compute.states.refused-stop-keeps-terminating', settled, OUT_OF_SIGHT);
    },
  );

  test(
    'the answer to a terminate describes the instance as the list and the last stop did',
    { judges: ['compute.instance-record.action-agrees-with-list'], waits: true },
    async (t) => {
      const { life, listed, lastStop, answer } = await terminationOfStopped(t);
      if (!isSuccess(answer)) throw new Inconclusive('the terminate was not accepted');
      t.judge('compute.instance-record.action-agrees-with-list', sameHardware(lastStop, answer));
      // A copy that is behind may show what was before a start.
      if (listed?.status !== 'STOPPED') return;
      const after = await t.lookInList(life.id);
      const agrees = agreesAround(listed, answer, after);
      t.judge('compute.instance-record.action-agrees-with-list', agrees);
    },
  );

  test(
    'a start does not bring back what is being destroyed',
    { judges: ['compute.states.terminated-survives-start'], waits: true, requests: 15 },
    async (t) => {
      const settled = await startOfTerminating(t);
      judgeOrLack(t, 'compute.states.terminated-survives-start', settled, OUT_OF_SIGHT);
    },
  );
});
