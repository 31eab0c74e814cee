/** POST /instances/{id}/stop: what it accepts and refuses, and what it does to an instance that runs. */

import { accepted, answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { actionRecordOf } from '../../harness/checks/compute/records.ts';
import { runtimeIn } from '../../harness/checks/compute/runs.ts';
import {
  answersFirst,
  shownBetween,
  stateIn,
  stillIn,
} from '../../harness/checks/compute/actions.ts';
import {
  lastingChange,
  sameRuntime,
  unchanged,
} from '../../harness/checks/compute/record-relations.ts';
import { restsInTheEnd, wrongBodies } from '../../harness/drivers/compute/actions.ts';
import { experiment } from '../../harness/drivers/compute/standing.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { datedNow, sendWrongBodies, stopOfRunning } from '../../harness/drivers/compute/stops.ts';
import {
  LONGEST_NOTE,
  cutBodies,
  noteOf,
  notes,
  tellingNotes,
} from '../../harness/generate/bodies.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import { findsNoUnknownId, refusesBodies, refusesMalformedIds } from './actions.ts';

/** Just above what columns of databases often hold, and just below the bound. */
const lengths = [256, 1_025, 4_097, LONGEST_NOTE - 1] as const;
const shortNotes = ['maintenance', ...tellingNotes, ...lengths.map((one) => noteOf(one))];

/** Bodies that a stop accepts: quotation marks are one character each, however JSON writes them. */
const rightBodies = [
  ['body-absent', 'no body', {}],
  ['body-empty-object', 'an empty object', { json: {} }],
  ...shortNotes.map((note) => {
    const what = `the note ${JSON.stringify(note.slice(0, 40))}`;
    return ['reason-note-accepted', what, { json: { reason_note: note } }] as const;
  }),
  ...[noteOf(LONGEST_NOTE), '"'.repeat(LONGEST_NOTE)].map((note) => {
    const what = `a note of ${LONGEST_NOTE} characters`;
    return ['reason-note-maximum', what, { json: { reason_note: note } }] as const;
  }),
] as const;

/** Characters that count differently as bytes, UTF-16 units and code points: 40, 20 and 10 kB of them. */
const emoji = [1, 2, 4].map((part) => '🙂'.repeat(LONGEST_NOTE / part));

const openBodies = [
  ['reason-note-null', 'a null note', { json: { reason_note: null } }],
  ['reason-note-null', 'null as the body', { json: null }],
  ['body-extra-members', 'another member', { json: { reason_note: 'text', other: 1 } }],
  [
    'body-content-type',
    'a body labelled as text',
    { body: '{}', headers: [['Content-Type', 'text/plain']] },
  ],
  ['body-content-type', 'the label of JSON on an empty body', { body: '' }],
  ...emoji.map((note) => {
    const what = `a note of ${note.length / 2} emoji`;
    return ['reason-note-length-unit', what, { json: { reason_note: note } }] as const;
  }),
] as const;

/** A stop may be repeated as often as one likes. */
const REPEATS = 5;
/** Notes and JSON that are wrong: nothing else may stop what runs. */
const refused = experiment(async (t) =>
  sendWrongBodies(
    t,
    'stop',
    wrongBodies.filter(({ slug }) => slug !== 'body-not-object').slice(0, 3),
  ),
);

export default computeSection('stop-instance', (test) => {
  findsNoUnknownId(test, 'stop-instance');
  refusesMalformedIds(test, 'stop-instance');
  refusesBodies(test, 'stop-instance', async (t, slug) => {
    const id = await t.stopped();
    const bodies = wrongBodies.filter((body) => body.slug === slug);
    return Promise.all(
      bodies.map(async (body) => ({ body, answer: await t.api.stop(id, body.options) })),
    );
  });

  test(
    'a stop of a stopped instance is accepted and changes nothing',
    {
      judges: [
        'compute.stop-instance.stopped-accepted',
        'compute.stop-instance.stopped-unchanged',
        'compute.stop-instance.success-status',
      ],
    },
    async (t) => {
      const id = await t.stopped();
      const before = await t.stoppedAtFirst();
      const answer = await t.api.stop(id);
      const after = await t.look(id);
      const what = 'A stop of a stopped instance';
      t.judge('compute.stop-instance.stopped-accepted', accepted(answer, what));
      const note = `an accepted stop answers ${answer.response?.status ?? 'nothing'}`;
      t.record('compute.stop-instance.success-status', note, answer);
      if (before === undefined || after === undefined) {
        throw new Inconclusive(`the stopped instance ${id} is out of sight`);
      }
      const exchanges = [answer, before.exchange, after.exchange];
      const records = { before: before.record, after: after.record };
      t.judge('compute.stop-instance.stopped-unchanged', unchanged({ ...records, exchanges }));
      t.judge(
        'compute.stop-instance.stopped-unchanged',
        sameRuntime(before.record, after.record, ...exchanges),
      );
    },
  );

  test(
    'a stop of a stopped instance may be repeated',
    {
      judges: ['compute.stop-instance.stopped-accepted', 'compute.states.runtime-rests'],
      requests: 6,
    },
    async (t) => {
      const id = await t.stopped(1);
      const rests = await restsInTheEnd(t, async () => {
        const answers = [];
        for (let n = 0; n < REPEATS; n += 1) answers.push(await t.api.stop(id));
        for (const [n, answer] of answers.entries()) {
          const what = `Stop ${n + 1} of a stopped instance`;
          t.judge('compute.stop-instance.stopped-accepted', accepted(answer, what));
        }
        return answers.flatMap((answer) => runtimeIn(actionRecordOf(answer) ?? {}, answer));
      });
      judgeOrLack(t, 'compute.states.runtime-rests', rests, 'the answers show too few digits');
    },
  );

  test(
    'no body, an empty object and a note up to the longest are accepted',
    {
      judges: [
        'compute.stop-instance.body-absent',
        'compute.stop-instance.body-empty-object',
        'compute.stop-instance.reason-note-accepted',
        'compute.stop-instance.reason-note-maximum',
      ],
      requests: 13,
    },
    async (t) => {
      const id = await t.stopped();
      for (const [slug, what, options] of rightBodies) {
        const answer = await t.api.stop(id, options);
        t.judge(`compute.stop-instance.${slug}`, accepted(answer, `A stop with ${what}`));
      }
    },
  );

  test(
    'notes with quotes, escapes and other scripts are accepted',
    { judges: ['compute.stop-instance.reason-note-accepted'], requests: 10 },
    async (t) => {
      const id = await t.stopped();
      await t.property(
        'a short note',
        notes,
        async (note, judge) => {
          const answer = await t.api.stop(id, { json: { reason_note: note } });
          const what = 'A stop with a note';
          judge('compute.stop-instance.reason-note-accepted', accepted(answer, what));
        },
        { weight: 0.5 },
      );
    },
  );

  test(
    'a body that is cut off is refused',
    { judges: ['compute.stop-instance.malformed-json'], requests: 10 },
    async (t) => {
      const id = await t.stopped();
      await t.property(
        'the beginning of a body',
        cutBodies,
        async (body, judge) => {
          const answer = await t.api.stop(id, { body });
          const what = `A stop with the body ${body}`;
          judge('compute.stop-instance.malformed-json', refusedWith(answer, 400, what));
        },
        { weight: 0.5 },
      );
    },
  );

  test(
    'what is done with null, with other members and other labels is recorded',
    {
      judges: [
        'compute.stop-instance.reason-note-null',
        'compute.stop-instance.body-extra-members',
        'compute.stop-instance.body-content-type',
        'compute.stop-instance.reason-note-length-unit',
      ],
      requests: 9,
    },
    async (t) => {
      const id = await t.stopped();
      for (const [slug, what, options] of openBodies) {
        const answer = await t.api.stop(id, options);
        const note = `${what} gets ${answer.response?.status ?? 'nothing'}`;
        t.record(`compute.stop-instance.${slug}`, note, answer);
      }
    },
  );

  test(
    'a stop that is refused for its body does not stop a running instance',
    {
      judges: [
        'compute.stop-instance.refused-note-changes-nothing',
        'compute.stop-instance.reason-note-too-long',
        'compute.stop-instance.malformed-json',
      ],
      waits: true,
      requests: 14,
    },
    async (t) => {
      const { answers, after } = await refused(t);
      for (const { body, answer } of answers) {
        const what = `A stop of a running instance with ${body.what}`;
        t.judge(`compute.stop-instance.${body.slug}`, refusedWith(answer, 400, what));
      }
      const last = answers.at(-1);
      if (last === undefined) throw new Inconclusive('the instance ended before it was stopped');
      const [first, second] = after.map((seen) =>
        stillIn(seen, ['RUNNING'], last.answer, 'A stop with a refused body'),
      );
      if (first === undefined || second === undefined) return;
      t.judge('compute.stop-instance.refused-note-changes-nothing', lastingChange(first, second));
    },
  );

  test(
    'a stop of a running instance is accepted, and answered before the instance has stopped',
    {
      judges: [
        'compute.stop-instance.running-accepted',
        'compute.stop-instance.reason-note-accepted',
        'compute.stop-instance.returns-at-once',
        'compute.stop-instance.response-state',
      ],
      waits: true,
      requests: 22,
    },
    async (t) => {
      const { before, answer, meanwhile, after } = await stopOfRunning(t);
      const what = 'A stop of a running instance with a note';
      t.judge('compute.stop-instance.running-accepted', accepted(answer, what));
      t.judge('compute.stop-instance.reason-note-accepted', accepted(answer, what));
      judgeOrLack(
        t,
        'compute.stop-instance.returns-at-once',
        answersFirst(answer, meanwhile),
        'the stop was answered at once: no look came before its answer',
      );
      judgeOrLack(
        t,
        'compute.stop-instance.response-state',
        shownBetween(before, answer, after),
        'the answer shows no documented state',
      );
    },
  );

  test(
    'what the contract leaves open of a stop is recorded',
    {
      judges: [
        'compute.stop-instance.state-shown',
        'compute.states.stop-return-time',
        'compute.stop-instance.elsewhere',
      ],
      waits: true,
    },
    async (t) => {
      const { answer, second } = await stopOfRunning(t);
      t.record(
        'compute.stop-instance.state-shown',
        `the answer to the stop of a running instance shows ${stateIn(answer) ?? 'no state'}`,
        answer,
      );
      t.record(
        'compute.states.stop-return-time',
        `the stop of a running instance took ${Math.round(answer.durationMs)} ms`,
        answer,
      );
      t.record(
        'compute.stop-instance.elsewhere',
        `a second stop right after the first answers ${second.response?.status ?? 'nothing'}, and shows ${stateIn(second) ?? 'no state'}`,
        second,
      );
    },
  );

  test(
    'dates around now select an instance that was made a moment ago',
    { judges: ['compute.list-instances.date-of-creation'], waits: true },
    async (t) => {
      judgeOrLack(
        t,
        'compute.list-instances.date-of-creation',
        await datedNow(t, await stopOfRunning(t)),
        'the disposable instance was there before this case, or the account is too large to tell',
      );
    },
  );

  test(
    'a stop of a terminated instance is a conflict, and leaves it so',
    {
      judges: [
        'compute.stop-instance.terminated-conflict',
        'compute.states.refused-stop-keeps-terminated',
      ],
    },
    async (t) => {
      const life = new Life(t, await t.terminated());
      for (const options of [{}, { json: { reason_note: 'not needed any more' } }]) {
        const answer = await t.api.stop(life.id, options);
        const what = 'A stop of a terminated instance';
        t.judge('compute.stop-instance.terminated-conflict', answeredWith(answer, 409, what));
        const after = await life.look();
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
