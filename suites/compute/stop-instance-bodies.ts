import { refusedWith } from '../../harness/checks/compute/answers.ts';
import {
  LONGEST_NOTE,
  brokenBodies,
  cutBodies,
  noteOf,
} from '../../harness/generate/reason-note.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';

const wrongNotes: readonly unknown[] = [0, 1.5, ['text'], [], { text: 'text' }, {}];
const wrongBodies: readonly unknown[] = [[], [{ reason_note: 'text' }], 'text', 7];

/** Characters that count differently as bytes, UTF-16 units and code points. */
const emoji = (count: number): string => '🙂'.repeat(count);
/** 40 kB, 20000 units and 10000 code points; 20 kB and 10000 units; 10 kB. */
const lengths: readonly number[] = [LONGEST_NOTE, LONGEST_NOTE / 2, LONGEST_NOTE / 4];

export default computeSection('stop-instance', (test) => {
  test(
    'a note that is too long is refused',
    { judges: ['compute.stop-instance.reason-note-too-long'], requests: 2 },
    async (t) => {
      const id = await t.stopped();
      for (const length of [LONGEST_NOTE + 1, 2 * LONGEST_NOTE]) {
        const answer = await t.api.stop(id, { json: { reason_note: noteOf(length) } });
        t.judge(
          'compute.stop-instance.reason-note-too-long',
          refusedWith(answer, 400, `A stop with a note of ${length} characters`),
        );
      }
    },
  );

  test(
    'a body that is no JSON is refused',
    { judges: ['compute.stop-instance.malformed-json'], requests: 20 },
    async (t) => {
      const id = await t.stopped();
      await t.property<string | Uint8Array>(
        'a body that is no JSON',
        cutBodies,
        async (body, judge) => {
          const answer = await t.api.stop(id, { body });
          judge(
            'compute.stop-instance.malformed-json',
            refusedWith(answer, 400, `A stop with the body ${String(body)}`),
          );
        },
        { weight: 0.5, examples: brokenBodies },
      );
    },
  );

  test(
    'a note that is no text is refused',
    { judges: ['compute.stop-instance.reason-note-wrong-type'], requests: 6 },
    async (t) => {
      const id = await t.stopped();
      for (const note of wrongNotes) {
        const answer = await t.api.stop(id, { json: { reason_note: note } });
        t.judge(
          'compute.stop-instance.reason-note-wrong-type',
          refusedWith(answer, 400, `A stop with the note ${JSON.stringify(note)}`),
        );
      }
    },
  );

  test(
    'a body that is no object is refused',
    { judges: ['compute.stop-instance.body-not-object'] },
    async (t) => {
      const id = await t.stopped();
      for (const body of wrongBodies) {
        const answer = await t.api.stop(id, { json: body });
        t.judge(
          'compute.stop-instance.body-not-object',
          refusedWith(answer, 400, `A stop with the body ${JSON.stringify(body)}`),
        );
      }
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
      const plain = [['Content-Type', 'text/plain']] as const;
      const probes = [
        ['reason-note-null', 'a null note', { json: { reason_note: null } }],
        ['reason-note-null', 'null as the body', { json: null }],
        ['body-extra-members', 'another member', { json: { reason_note: 'text', other: 1 } }],
        ['body-content-type', 'a body labelled as text', { body: '{}', headers: plain }],
        ['body-content-type', 'the label of JSON on an empty body', { body: '' }],
        ...lengths.map(
          (count) =>
            [
              'reason-note-length-unit',
              `a note of ${count} emoji`,
              { json: { reason_note: emoji(count) } },
            ] as const,
        ),
      ] as const;
      for (const [slug, what, options] of probes) {
        const answer = await t.api.stop(id, options);
        t.record(
          `compute.stop-instance.${slug}`,
          `${what} gets ${answer.response?.status ?? 'nothing'}`,
          answer,
        );
      }
    },
  );
});
