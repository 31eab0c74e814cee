/** Terminating an instance: accepted in every state but TERMINATED, and final. */

import { agreesAround, sameHardware } from '../../harness/checks/compute/record-relations.ts';
import { accepted, answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { onlyTerminated } from '../../harness/checks/compute/lifecycle.ts';
import { datedBetween } from '../../harness/checks/compute/figures.ts';
import { answeredRecord, isSuccess } from '../../harness/checks/compute/records.ts';
import { reasonKept, totalsStay } from '../../harness/checks/compute/runs.ts';
import {
  noEarlyConflict,
  shownBetween,
  stateIn,
  stillIn,
} from '../../harness/checks/compute/actions.ts';
import { notObserved, together } from '../../harness/checks/judgement.ts';
import { foreignNotFound } from '../../harness/checks/compute/scoping.ts';
import { wrongBodies } from '../../harness/drivers/compute/actions.ts';
import { experiment } from '../../harness/drivers/compute/standing.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { sendWrongBodies } from '../../harness/drivers/compute/stops.ts';
import {
  OUT_OF_SIGHT,
  repeatedTerminates,
  terminationOfBooting,
  terminationOfDeployed,
  terminationOfRestarted,
  terminationOfRunning,
  terminationOfStarting,
  terminationOfStopping,
} from '../../harness/drivers/compute/terminations.ts';
import { terminationOfStopped } from '../../harness/drivers/compute/terminating.ts';
import { LONGEST_NOTE, exampleNotes } from '../../harness/generate/bodies.ts';
import { Inconclusive, judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { refusedChangesNothing, refusesBodies, refusesIds } from './actions.ts';
import type { Observation } from '../../harness/drivers/compute/api.ts';

const of = idsIn('terminate-instance');

const refused = experiment(async (t) => sendWrongBodies(t.lasting(), 'terminate', wrongBodies));

const MISSED = 'the instance was TERMINATED before a second terminate reached it';
const starts = { needs: ['bindings.start', 'consent.stop'] } as const;
/** The conditions in which instances are terminated, and the requirements that each termination judges. */
const terminations = [
  ['an instance that does not run yet', terminationOfBooting, 'early', 'terminate', {}],
  ['an instance that is DEPLOYED', terminationOfDeployed, 'early', 'terminate', {}],
  ['an instance that is started again', terminationOfStarting, 'early', 'terminate', starts],
  ['what has run twice and stopped', terminationOfRestarted, 'stopped', 'terminate', starts],
  ['a running instance', terminationOfRunning, 'running', 'terminate', {}],
  [
    'an instance that is still STOPPING',
    terminationOfStopping,
    'stopping',
    'terminate-while-stopping',
    {},
  ],
] as const;

export default computeSection('terminate-instance', (test) => {
  refusesIds(test, 'terminate-instance');
  refusesBodies(test, 'terminate-instance', async (t) => (await refused(t)).answers);

  refusedChangesNothing(test, 'terminate-instance', refused);

  test(
    'what a null note does is recorded',
    { judges: [of('reason-note-null')], waitsLong: true },
    async (t) => {
      const { probe } = await refused(t);
      const answer = await t.api.terminate(probe.id, { json: { reason_note: null } });
      const note = `a null note gets ${answer.response?.status ?? 'nothing'}`;
      t.record(of('reason-note-null'), note, answer);
    },
  );

  for (const [state, meet, when, settled, options] of terminations) {
    const isAccepted = of(`${when}-accepted`);
    const settles = `compute.states.${settled}-settles` as const;
    test(
      `${state} is terminated, and stays so`,
      { judges: [isAccepted, of('terminating-no-conflict'), settles], waitsLong: true, ...options },
      async (t) => {
        const { answer, refusedAt, ...end } = await meet(t);
        t.judge(isAccepted, accepted(answer, `A terminate of ${state}`));
        t.judge(of('terminating-no-conflict'), noEarlyConflict(answer, refusedAt));
        if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
        judgeOrLack(t, settles, end.settled, OUT_OF_SIGHT);
      },
    );
  }

  test(
    'a terminate with a note, with the longest one and with an empty object is accepted',
    {
      judges: [
        of('reason-note-accepted'),
        of('reason-note-maximum'),
        of('body-empty-object'),
        of('body-absent'),
      ],
      waitsLong: true,
    },
    async (t) => {
      for (const [slug, meet, what] of [
        ['reason-note-maximum', terminationOfRunning, `a note of ${LONGEST_NOTE} characters`],
        ['body-empty-object', repeatedTerminates, 'an empty object'],
        ['body-absent', terminationOfStopped, 'no body'],
        ['reason-note-accepted', terminationOfStopping, 'a note'],
      ] as const) {
        const { answer } = await meet(t);
        t.judge(of(slug), accepted(answer, `A terminate with ${what}`));
      }
    },
  );

  test(
    'the answer to a terminate shows a state between those before and after it',
    { judges: [of('response-state'), of('success-status'), of('state-shown')], waitsLong: true },
    async (t) => {
      const { probe, before, answer } = await terminationOfRunning(t);
      const status = answer.response?.status ?? 'nothing';
      const shown = stateIn(answer) ?? 'no state';
      t.record(of('success-status'), `the first terminate answers ${status}`, answer);
      t.record(of('state-shown'), `the answer to the first terminate shows ${shown}`, answer);
      const { state, exchange } = probe.observedStates.at(-1) ?? before;
      const isSeen = exchange !== before.exchange;
      const from = { ...before, status: before.state };
      const between = shownBetween(from, answer, { status: isSeen ? state : '', exchange });
      judgeOrLack(t, of('response-state'), between, 'the answer or what followed shows no state');
    },
  );

  test(
    'what was terminated just now is so for good: another terminate is a conflict, whatever its note, and so is a stop',
    {
      judges: [
        of('terminated-conflict'),
        'compute.stop-instance.terminated-conflict',
        'compute.states.terminated-survives-terminate',
        'compute.instance-record.dates-fit-the-clock',
        'compute.instance-record.terminated-reason-stays',
      ],
      waitsLong: true,
    },
    async (t) => {
      const { probe, answer: first } = await terminationOfRunning(t);
      const ended = probe.observedStates.find(({ state }) => state === 'TERMINATED')?.exchange;
      const before = await probe.observe();
      const readings: Observation[] = [];
      if (before?.status !== 'TERMINATED') throw new NotExercised(OUT_OF_SIGHT);
      const notes = exampleNotes.map((note) => ({ reason_note: note }));
      for (const options of [{}, ...[{}, ...notes].map((json) => ({ json }))]) {
        const answer = await t.api.terminate(probe.id, options);
        const what = `A terminate of a terminated instance with ${JSON.stringify(options).slice(0, 60)}`;
        const seen = await probe.observe();
        if (seen === undefined) throw new NotExercised(OUT_OF_SIGHT);
        t.judge(of('terminated-conflict'), answeredWith(answer, 409, what));
        readings.push(seen);
        const kept = stillIn(seen, ['TERMINATED'], answer, what);
        t.judge('compute.states.terminated-survives-terminate', kept);
        if (kept.violations.length > 0) return;
      }
      judgeOrLack(
        t,
        'compute.instance-record.terminated-reason-stays',
        reasonKept(before, readings.at(-1) ?? before),
        'it tells no reason of its termination',
      );
      const stop = answeredWith(await t.api.stop(probe.id), 409, 'A stop of a terminated instance');
      if (await probe.observe()) t.judge('compute.stop-instance.terminated-conflict', stop);
      judgeOrLack(
        t,
        'compute.instance-record.dates-fit-the-clock',
        ended === undefined ? notObserved : datedBetween('terminated_at', readings, first, ended),
        'the end of the instance, or its date, was not seen twice',
      );
    },
  );

  test(
    'a terminate that is repeated at once is accepted or answered with 500, and never a conflict too early',
    {
      judges: [
        of('terminating-answer'),
        of('terminating-no-conflict'),
        of('gone-answer'),
        'compute.states.terminate-again-settles',
      ],
      waitsLong: true,
    },
    async (t) => {
      const { terminating, conflicts, statuses, settled } = await repeatedTerminates(t);
      t.record(of('gone-answer'), `terminates repeated at once got ${statuses.join(', ')}`);
      judgeOrLack(t, of('terminating-no-conflict'), conflicts, MISSED);
      judgeOrLack(t, of('terminating-answer'), terminating, MISSED);
      judgeOrLack(t, 'compute.states.terminate-again-settles', settled, OUT_OF_SIGHT);
    },
  );

  test(
    'a stopped instance is terminated, and nobody else may do so',
    {
      judges: [
        of('stopped-accepted'),
        of('reason-note-too-long'),
        of('terminating-no-conflict'),
        of('keeps-totals'),
        'compute.list-instances.status-terminated',
        'compute.scoping.foreign-terminate',
      ],
      waitsLong: true,
    },
    async (t) => {
      const met = await terminationOfStopped(t);
      const { long, answer, after, terminatedList, foreign } = met;
      const what = 'A terminate of a stopped instance';
      t.judge(of('reason-note-too-long'), refusedWith(long, 400, `${what} with too long a note`));
      t.judge(of('stopped-accepted'), accepted(answer, what));
      t.judge(of('terminating-no-conflict'), noEarlyConflict(answer, after));
      const [single, listed, ended] = [
        answeredRecord(met.lastStop),
        met.listed,
        await met.probe.observe(),
      ];
      const kept = single && listed && ended && totalsStay({ single, listed }, ended);
      const nothing = 'its run came to nothing in hours and credits, or it is out of sight';
      judgeOrLack(t, of('keeps-totals'), kept ?? notObserved, nothing);
      // TERMINATED is final, so a list filtered by it can never show an instance in another state.
      const shown = onlyTerminated(terminatedList);
      judgeOrLack(t, 'compute.list-instances.status-terminated', shown, 'none is listed');
      const byOther = 'A terminate from another account of what is TERMINATING';
      judgeOrLack(
        t,
        'compute.scoping.foreign-terminate',
        foreign === undefined ? notObserved : foreignNotFound(foreign, undefined, byOther),
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
      waitsLong: true,
    },
    async (t) => {
      const { answer, stops, after, settled } = await terminationOfStopped(t);
      if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
      if (after?.status === 'ERRORED') throw new NotExercised(OUT_OF_SIGHT);
      const what = 'A stop of an instance that is TERMINATING';
      for (const stop of stops) {
        const kept = stillIn(after, ['TERMINATING', 'TERMINATED'], stop.answer, what);
        t.judge('compute.states.refused-stop-keeps-terminating', kept);
        // If the first stop revived the instance, it may be stopped again.
        if (kept.violations.length > 0) return;
      }
      const conflicts = stops.map((stop) => {
        const conflict = answeredWith(stop.answer, 409, what);
        // Inconclusive if the instance may already have been TERMINATED, or not yet TERMINATING.
        const isKnown = conflict.violations.length > 0 ? stop.hasBegun : stop.isMet;
        return isKnown ? conflict : notObserved;
      });
      judgeOrLack(
        t,
        'compute.stop-instance.terminating-conflict',
        together(...conflicts),
        'the instance was TERMINATED by the time that stops were answered',
      );
      judgeOrLack(t, 'compute.states.refused-stop-keeps-terminating', settled, OUT_OF_SIGHT);
    },
  );

  test(
    'the answer to a terminate describes the instance as the list and the last stop did',
    { judges: ['compute.instance-record.action-agrees-with-list'], waitsLong: true },
    async (t) => {
      const { probe, listed, lastStop, answer } = await terminationOfStopped(t);
      if (!isSuccess(answer)) throw new Inconclusive('the terminate was not accepted');
      t.judge('compute.instance-record.action-agrees-with-list', sameHardware(lastStop, answer));
      // A replica that lags may show the state before a start.
      if (listed?.status !== 'STOPPED') return;
      const agrees = agreesAround(listed, answer, await t.observeInList(probe.id));
      t.judge('compute.instance-record.action-agrees-with-list', agrees);
    },
  );
});
