import { accepted, answeredWithOneOf, refusedWith } from '../../harness/checks/compute/answers.ts';
import { actionRecordOf } from '../../harness/checks/compute/records.ts';
import { type RuntimeReading, runtimeIn } from '../../harness/checks/compute/resting-runtime.ts';
import { sameRuntime } from '../../harness/checks/compute/single-record.ts';
import { unchanged } from '../../harness/checks/compute/unchanged.ts';
import { almostUuids, nearlyUuids } from '../../harness/generate/nearly-uuid.ts';
import { LONGEST_NOTE, noteOf, notes, tellingNotes } from '../../harness/generate/reason-note.ts';
import { restsInTheEnd } from '../../harness/drivers/compute/resting.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { Inconclusive } from '../../harness/runner/signals.ts';

/** Just above what columns of databases often hold, and just below the bound. */
const lengths = [256, 1_025, 4_097, LONGEST_NOTE - 1] as const;

/** A stop may be repeated as often as one likes. */
const REPEATS = 5;

export default computeSection('stop-instance', (test) => {
  test(
    'a stop of a stopped instance is accepted and changes nothing',
    {
      judges: [
        'compute.stop-instance.stopped-accepted',
        'compute.stop-instance.body-absent',
        'compute.stop-instance.stopped-unchanged',
        'compute.stop-instance.success-status',
      ],
    },
    async (t) => {
      const id = await t.stopped();
      const before = await t.stoppedAtFirst();
      const answer = await t.api.stop(id);
      const after = await t.look(id);
      t.judge(
        'compute.stop-instance.stopped-accepted',
        accepted(answer, 'A stop of a stopped instance'),
      );
      t.judge('compute.stop-instance.body-absent', accepted(answer, 'A stop without a body'));
      t.record(
        'compute.stop-instance.success-status',
        `an accepted stop answers ${answer.response?.status ?? 'nothing'}`,
        answer,
      );
      if (before === undefined || after === undefined) {
        throw new Inconclusive(`the stopped instance ${id} is out of sight`);
      }
      t.judge(
        'compute.stop-instance.stopped-unchanged',
        unchanged({
          before: before.record,
          after: after.record,
          exchanges: [answer, before.exchange, after.exchange],
        }),
      );
      t.judge(
        'compute.stop-instance.stopped-unchanged',
        sameRuntime(before.record, after.record, answer, before.exchange, after.exchange),
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
      const rests = await restsInTheEnd(async () => {
        const readings: RuntimeReading[] = [];
        for (let n = 0; n < REPEATS; n += 1) {
          const exchange = await t.api.stop(id);
          t.judge(
            'compute.stop-instance.stopped-accepted',
            accepted(exchange, `Stop ${n + 1} of a stopped instance`),
          );
          readings.push(...runtimeIn(actionRecordOf(exchange) ?? {}, exchange));
        }
        return readings;
      }, t.signal);
      judgeOrLack(t, 'compute.states.runtime-rests', rests, 'the answers show no runtime');
    },
  );

  test(
    'an empty object and a note up to the longest are accepted',
    {
      judges: [
        'compute.stop-instance.body-empty-object',
        'compute.stop-instance.reason-note-accepted',
        'compute.stop-instance.reason-note-maximum',
      ],
    },
    async (t) => {
      const id = await t.stopped();
      const empty = await t.api.stop(id, { json: {} });
      t.judge(
        'compute.stop-instance.body-empty-object',
        accepted(empty, 'A stop with an empty object'),
      );
      for (const note of ['maintenance', ...lengths.map((one) => noteOf(one))]) {
        const answer = await t.api.stop(id, { json: { reason_note: note } });
        t.judge(
          'compute.stop-instance.reason-note-accepted',
          accepted(answer, `A stop with the note ${JSON.stringify(note.slice(0, 40))}`),
        );
      }
      const longest = await t.api.stop(id, { json: { reason_note: noteOf(LONGEST_NOTE) } });
      t.judge(
        'compute.stop-instance.reason-note-maximum',
        accepted(longest, `A stop with a note of ${LONGEST_NOTE} characters`),
      );
      // Each of them is one character, however JSON writes it.
      const quotes = await t.api.stop(id, { json: { reason_note: '"'.repeat(LONGEST_NOTE) } });
      t.judge(
        'compute.stop-instance.reason-note-maximum',
        accepted(quotes, `A stop with a note of ${LONGEST_NOTE} quotation marks`),
      );
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
          judge(
            'compute.stop-instance.reason-note-accepted',
            accepted(answer, 'A stop with a note'),
          );
        },
        { weight: 0.5, examples: tellingNotes },
      );
    },
  );

  test(
    'an id that exists nowhere is not found',
    { judges: ['compute.stop-instance.unknown-id'] },
    async (t) => {
      const answer = await t.api.stop(t.unknownInstanceId());
      t.judge(
        'compute.stop-instance.unknown-id',
        refusedWith(answer, 404, 'A stop of an unknown id'),
      );
    },
  );

  test(
    'an id that is no UUID is refused',
    { judges: ['compute.stop-instance.malformed-id'], requests: 20 },
    async (t) => {
      await t.property(
        'an id that is nearly a UUID',
        nearlyUuids(t.unknownInstanceId()),
        async (id, judge) => {
          const answer = await t.api.stop(id);
          judge(
            'compute.stop-instance.malformed-id',
            answeredWithOneOf(answer, [400, 404], `A stop of the id ${JSON.stringify(id)}`),
          );
        },
        { weight: 0.5, examples: almostUuids(t.unknownInstanceId()) },
      );
    },
  );
});
