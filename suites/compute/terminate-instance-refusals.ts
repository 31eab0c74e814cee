import { answeredWithOneOf, refusedWith } from '../../harness/checks/compute/answers.ts';
import { mayBeAutomatic } from '../../harness/checks/compute/automatic-stop.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { stillIn } from '../../harness/checks/compute/shown-state.ts';
import { lastingChange } from '../../harness/checks/compute/unchanged.ts';
import { almostUuids, nearlyUuids } from '../../harness/generate/nearly-uuid.ts';
import { LONGEST_NOTE, brokenBodies, noteOf } from '../../harness/generate/reason-note.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

const wrongNotes: readonly unknown[] = [7, ['text'], { text: 'text' }];

export default computeSection('terminate-instance', (test) => {
  test(
    'a body that is refused destroys nothing',
    {
      judges: [
        'compute.terminate-instance.reason-note-too-long',
        'compute.terminate-instance.refused-note-changes-nothing',
        'compute.terminate-instance.malformed-json',
        'compute.terminate-instance.reason-note-wrong-type',
      ],
      waits: true,
      requests: 34,
    },
    async (t) => {
      const life = await Life.running(t);
      const { record } = (await t.lookInList(life.id)) ?? {};
      const livesOn = async (what: string): Promise<void> => {
        const [first, second] = [await life.requireStatus(), await life.requireStatus()];
        if (mayBeAutomatic('RUNNING', second.status, record)) {
          throw new Inconclusive('the hours of the instance ended while it was looked at');
        }
        t.judge(
          'compute.terminate-instance.refused-note-changes-nothing',
          lastingChange(
            stillIn(first, ['RUNNING'], long, what),
            stillIn(second, ['RUNNING'], long, what),
          ),
        );
      };
      const long = await t.api.terminate(life.id, {
        json: { reason_note: noteOf(LONGEST_NOTE + 1) },
      });
      t.judge(
        'compute.terminate-instance.reason-note-too-long',
        refusedWith(long, 400, `A terminate with a note of ${LONGEST_NOTE + 1} characters`),
      );
      if (isSuccess(long)) throw new NotExercised('a note that is too long was not refused');
      await livesOn('A terminate with a refused note');
      for (const body of brokenBodies) {
        if ((await life.requireStatus()).status !== 'RUNNING') break;
        const answer = await t.api.terminate(life.id, { body });
        t.judge(
          'compute.terminate-instance.malformed-json',
          refusedWith(answer, 400, `A terminate with the body ${String(body)}`),
        );
      }
      await livesOn('A terminate with a refused body');
      for (const note of wrongNotes) {
        await life.requireStatus('RUNNING');
        const answer = await t.api.terminate(life.id, { json: { reason_note: note } });
        t.judge(
          'compute.terminate-instance.reason-note-wrong-type',
          refusedWith(answer, 400, `A terminate with the note ${JSON.stringify(note)}`),
        );
      }
    },
  );

  test(
    'an id that exists nowhere is not found',
    { judges: ['compute.terminate-instance.unknown-id'] },
    async (t) => {
      const answer = await t.api.terminate(t.unknownInstanceId());
      t.judge(
        'compute.terminate-instance.unknown-id',
        refusedWith(answer, 404, 'A terminate of an unknown id'),
      );
    },
  );

  test(
    'an id that is no UUID is refused',
    { judges: ['compute.terminate-instance.malformed-id'], requests: 20 },
    async (t) => {
      await t.property(
        'an id that is nearly a UUID',
        nearlyUuids(t.unknownInstanceId()),
        async (id, judge) => {
          const answer = await t.api.terminate(id);
          judge(
            'compute.terminate-instance.malformed-id',
            answeredWithOneOf(answer, [400, 404], `A terminate of the id ${JSON.stringify(id)}`),
          );
        },
        { weight: 0.5, examples: almostUuids(t.unknownInstanceId()) },
      );
    },
  );
});
