/** POST /instances/{id}/stop: what it accepts and rejects, and its effect on a running instance. */

import {
  NOTED,
  oneWrongBodyOfEachKind,
  openBodies,
  rightBodies,
  restsInTheEnd,
  wrongBodies,
} from '../../harness/drivers/compute/actions.ts';
import {
  accepted,
  answeredWith,
  noServerError,
  refusedWith,
} from '../../harness/checks/compute/answers.ts';
import { totalNotReset } from '../../harness/checks/compute/meters.ts';
import { actionRecordOf } from '../../harness/checks/compute/records.ts';
import { runtimeIn, stopsAreFree, stopsTakeNothing } from '../../harness/checks/compute/runs.ts';
import {
  answersFirst,
  shownBetween,
  stateIn,
  stillIn,
} from '../../harness/checks/compute/actions.ts';
import { sameRuntime, unchanged } from '../../harness/checks/compute/record-relations.ts';
import { experiment } from '../../harness/drivers/compute/standing.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import {
  datedNow,
  listedFirst,
  sendWrongBodies,
  stopOfRunning,
  stopStopped,
} from '../../harness/drivers/compute/stops.ts';
import { useRests } from '../../harness/checks/compute/storage.ts';
import { eventually } from '../../harness/runner/retry.ts';
import { cutBodies, notes } from '../../harness/generate/bodies.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import { refusedChangesNothing, refusesBodies, refusesIds } from './actions.ts';

const of = idsIn('stop-instance');

const REPEATS = 5;
/** Stops with one invalid body of each kind, none of which may stop a running instance. */
const refused = experiment(async (t) => sendWrongBodies(t, 'stop', oneWrongBodyOfEachKind));

export default computeSection('stop-instance', (test) => {
  refusesIds(test, 'stop-instance');
  refusesBodies(test, 'stop-instance', async (t, slug) => {
    const id = await t.stopped();
    const bodies = wrongBodies.filter((body) => body.slug === slug);
    return Promise.all(
      bodies.map(async (body) => ({ body, answer: await stopStopped(t, id, body.options) })),
    );
  });

  test(
    'a stop of a stopped instance is accepted and changes nothing',
    { judges: [of('stopped-accepted'), of('stopped-unchanged'), of('success-status')] },
    async (t) => {
      const id = await t.stopped();
      const before = await t.stoppedAtFirst();
      const answer = await stopStopped(t, id);
      // A note goes to the audit trail, and changes nothing either.
      await stopStopped(t, id, { json: { reason_note: 'maintenance' } });
      const after = await t.observe(id);
      const what = 'A stop of a stopped instance';
      t.judge(of('stopped-accepted'), accepted(answer, what));
      const note = `an accepted stop answers ${answer.response?.status ?? 'nothing'}`;
      t.record(of('success-status'), note, answer);
      if (before === undefined || after === undefined) {
        throw new Inconclusive(`no list or record shows the stopped instance ${id}`);
      }
      const exchanges = [answer, before.exchange, after.exchange];
      const records = { before: before.record, after: after.record };
      t.judge(of('stopped-unchanged'), unchanged({ ...records, exchanges }));
      t.judge(of('stopped-unchanged'), sameRuntime(before, after));
      t.judge(of('stopped-unchanged'), totalNotReset(before.record, answer));
      const useRested = async () => useRests(before, await t.observe(id));
      t.judge(of('stopped-unchanged'), await eventually(t, 'copyCatchesUp', useRested));
    },
  );

  test(
    'a stop of a stopped instance may be repeated',
    { judges: [of('stopped-accepted'), of('stopped-unchanged'), 'compute.states.runtime-rests'] },
    async (t) => {
      const id = await t.stopped(1);
      const rests = await restsInTheEnd(t, async () => {
        const answers: Exchange[] = [];
        for (let n = 0; n < REPEATS; n += 1) answers.push(await stopStopped(t, id));
        for (const [n, answer] of answers.entries()) {
          const what = `Stop ${n + 1} of a stopped instance`;
          t.judge(of('stopped-accepted'), accepted(answer, what));
        }
        t.judge(of('stopped-unchanged'), stopsAreFree(answers));
        t.judge(of('stopped-unchanged'), stopsTakeNothing(answers));
        return answers.flatMap((answer) => runtimeIn(actionRecordOf(answer) ?? {}, answer));
      });
      judgeOrLack(t, 'compute.states.runtime-rests', rests, 'the answers show too few digits');
    },
  );

  test(
    'no body, an empty object and a note up to the longest are accepted',
    {
      judges: [
        of('body-absent'),
        of('body-empty-object'),
        of('reason-note-accepted'),
        of('reason-note-maximum'),
      ],
    },
    async (t) => {
      const id = await t.stopped();
      for (const [slug, what, options] of rightBodies) {
        const answer = await stopStopped(t, id, options);
        t.judge(of(slug), accepted(answer, `A stop with ${what}`));
      }
      // A server may reject a note that says nothing, but not with a server error.
      for (const reason_note of ['', ' ', '\0']) {
        const empty = await t.api.stop(id, { json: { reason_note } });
        const what = `A stop with the note ${JSON.stringify(reason_note)}`;
        t.judge(of('reason-note-accepted'), noServerError(empty, what));
      }
    },
  );

  test(
    'notes with quotes, escapes and other scripts are accepted',
    { judges: [of('reason-note-accepted')] },
    async (t) => {
      const id = await t.stopped();
      await t.property(
        'a short note',
        notes,
        async (note, judge) => {
          const answer = await stopStopped(t, id, { json: { reason_note: note } });
          const what = 'A stop with a note';
          judge(of('reason-note-accepted'), accepted(answer, what));
        },
        { weight: 0.5 },
      );
    },
  );

  test('a body that is cut off is refused', { judges: [of('malformed-json')] }, async (t) => {
    const id = await t.stopped();
    await t.property(
      'the beginning of a body',
      cutBodies,
      async (body, judge) => {
        const answer = await stopStopped(t, id, { body });
        const what = `A stop with the body ${body}`;
        judge(of('malformed-json'), refusedWith(answer, 400, what));
      },
      { weight: 0.5 },
    );
  });

  test(
    'what is done with null, with other members and other labels is recorded',
    {
      judges: [
        of('reason-note-null'),
        of('body-extra-members'),
        of('body-content-type'),
        of('reason-note-length-unit'),
      ],
    },
    async (t) => {
      const id = await t.stopped();
      for (const [slug, what, options] of openBodies) {
        const answer = await t.api.stop(id, options);
        const note = `${what} gets ${answer.response?.status ?? 'nothing'}`;
        t.record(of(slug), note, answer);
      }
    },
  );

  refusedChangesNothing(test, 'stop-instance', refused);

  test(
    'a stop of a running instance is accepted, and answered before the instance has stopped',
    {
      judges: [
        of('running-accepted'),
        of('reason-note-accepted'),
        of('returns-at-once'),
        of('response-state'),
      ],
      waitsLong: true,
    },
    async (t) => {
      const { before, answer, meanwhile, after } = await stopOfRunning(t);
      const what = 'A stop of a running instance with a note';
      t.judge(of('running-accepted'), accepted(answer, what));
      t.judge(of('reason-note-accepted'), accepted(answer, what));
      judgeOrLack(
        t,
        of('returns-at-once'),
        answersFirst(answer, meanwhile),
        'the stop was answered at once: no look came before its answer',
      );
      judgeOrLack(
        t,
        of('response-state'),
        shownBetween(before, answer, after),
        'the answer shows no documented state',
      );
    },
  );

  test(
    'what the contract leaves open of a stop is recorded',
    {
      judges: [of('state-shown'), 'compute.states.stop-return-time', of('elsewhere')],
      waitsLong: true,
    },
    async (t) => {
      const { answer, second } = await stopOfRunning(t);
      t.record(
        of('state-shown'),
        `the answer to the stop of a running instance shows ${stateIn(answer) ?? 'no state'}`,
        answer,
      );
      t.record(
        'compute.states.stop-return-time',
        `the stop of a running instance took ${Math.round(answer.durationMs)} ms`,
        answer,
      );
      t.record(
        of('elsewhere'),
        `a second stop right after the first answers ${second.response?.status ?? 'nothing'}, and shows ${stateIn(second) ?? 'no state'}`,
        second,
      );
    },
  );

  test(
    'an instance that was made a moment ago is dated so, and comes first in the list',
    {
      judges: ['compute.list-instances.date-of-creation', 'compute.list-instances.newest-first'],
      waitsLong: true,
    },
    async (t) => {
      const stop = await stopOfRunning(t);
      judgeOrLack(
        t,
        'compute.list-instances.date-of-creation',
        await datedNow(t, stop),
        'the disposable instance was there before this case, or the account is too large to tell',
      );
      t.judge('compute.list-instances.newest-first', await listedFirst(t, stop));
    },
  );

  test(
    'a stop of a terminated instance is a conflict, and leaves it so',
    { judges: [of('terminated-conflict'), 'compute.states.refused-stop-keeps-terminated'] },
    async (t) => {
      const probe = new InstanceProbe(t, await t.terminated());
      for (const options of [{}, { json: {} }, NOTED]) {
        const answer = await t.api.stop(probe.id, options);
        const what = 'A stop of a terminated instance';
        t.judge(of('terminated-conflict'), answeredWith(answer, 409, what));
        const after = await probe.observe();
        judgeOrLack(
          t,
          'compute.states.refused-stop-keeps-terminated',
          stillIn(after, ['TERMINATED'], answer, 'A refused stop'),
          'terminated instances are not to be seen here',
        );
        if (after?.status !== 'TERMINATED') return;
      }
    },
  );
});
