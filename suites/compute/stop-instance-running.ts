import { accepted, answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { mayBeAutomatic } from '../../harness/checks/compute/automatic-stop.ts';
import { createdNow } from '../../harness/checks/compute/created-now.ts';
import { startKept } from '../../harness/checks/compute/new-run.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { stopOfRunning } from '../../harness/checks/compute/settling.ts';
import { shownBetween, stateIn, stillIn } from '../../harness/checks/compute/shown-state.ts';
import { lastingChange } from '../../harness/checks/compute/unchanged.ts';
import { LONGEST_NOTE, noteOf } from '../../harness/generate/reason-note.ts';
import { instant, readWindow } from '../../harness/drivers/compute/dating.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import type { Sighting } from '../../harness/drivers/compute/instances.ts';
import { Life } from '../../harness/drivers/compute/life.ts';
import { requireStillRan } from '../../harness/drivers/compute/left-running.ts';
import { readInstances } from '../../harness/drivers/compute/listing.ts';
import { again as tryAgain } from '../../harness/drivers/again.ts';
import { CATCHING_UP_MS } from '../../harness/drivers/compute/lag.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

/** Clocks of services and of testers are no further apart, whatever the time zone that they are set to. */
const DAY_MS = 86_400_000;

const TOO_LONG = `${LONGEST_NOTE + 1} characters`;

/** Instances on which a stop must act and yet fail before that is no chance. */
const TRIES = 3;

/**
 * Stops what runs. A failure that passes does nothing, and the stop is sent again; one after which the instance stops
 * all the same is met by a further instance, since a repeated stop would hide it.
 */
async function stopped(
  t: ComputeContext,
  first: Life,
): Promise<{ readonly life: Life; readonly before: Sighting; readonly answer: Exchange }> {
  for (let life = first, tried = 1; ; tried += 1, life = await Life.running(t)) {
    const before = await life.requireStatus('RUNNING');
    const answer = await t.api.stop(life.id, { repeat: false });
    const status = answer.response?.status;
    if (status !== 500 && status !== 429) return { life, before, answer };
    const acted =
      status === 500 && (await life.lookFresh('STOPPING', 'STOPPED'))?.status !== 'RUNNING';
    if (!acted) return { life, before, answer: await t.api.stop(life.id) };
    if (tried === TRIES) return { life, before, answer };
  }
}

export default computeSection('stop-instance', (test) => {
  test(
    'a running instance is stopped, but not by a request that was refused',
    {
      judges: [
        'compute.stop-instance.refused-note-changes-nothing',
        'compute.stop-instance.running-accepted',
        'compute.stop-instance.response-state',
        'compute.stop-instance.state-shown',
        'compute.stop-instance.elsewhere',
        'compute.states.stop-return-time',
        'compute.states.running-stop-settles',
        'compute.states.stop-keeps-start',
        'compute.list-instances.date-of-creation',
      ],
      waits: true,
      requests: 22,
    },
    async (t) => {
      const listed = await readInstances(t.api);
      const refusedOn = await Life.running(t);
      const { record } = (await t.lookInList(refusedOn.id)) ?? {};
      const refused = await t.api.stop(refusedOn.id, {
        json: { reason_note: noteOf(LONGEST_NOTE + 1) },
      });
      const judgeLong = (): void => {
        t.judge(
          'compute.stop-instance.reason-note-too-long',
          refusedWith(refused, 400, `A stop of a running instance with a note of ${TOO_LONG}`),
        );
      };
      if (isSuccess(refused)) {
        judgeLong();
        throw new NotExercised('a note that is too long was not refused');
      }
      // Nor does what cannot be read at all.
      const cut = await t.api.stop(refusedOn.id, { body: '{"reason_note":' });
      const judgeCut = (): void => {
        t.judge(
          'compute.stop-instance.malformed-json',
          refusedWith(cut, 400, 'A stop of a running instance with a body that is cut off'),
        );
      };
      if (isSuccess(cut)) {
        judgeCut();
        throw new NotExercised('a body that is cut off was not refused');
      }
      const [first, second] = [await refusedOn.requireStatus(), await refusedOn.requireStatus()];
      // In other states a refusal may have another reason.
      if (second.status === 'RUNNING') {
        judgeLong();
        judgeCut();
      }
      if (mayBeAutomatic('RUNNING', second.status, record)) {
        throw new Inconclusive('the hours of the instance ended while it was looked at');
      }
      t.judge(
        'compute.stop-instance.refused-note-changes-nothing',
        lastingChange(
          stillIn(first, ['RUNNING'], refused, 'A stop with a refused note'),
          stillIn(second, ['RUNNING'], refused, 'A stop with a refused note'),
        ),
      );
      const { life, before, answer } = await stopped(t, refusedOn);
      const again = await t.api.stop(life.id);
      await requireStillRan(life, answer, record);
      t.judge(
        'compute.stop-instance.running-accepted',
        accepted(answer, 'A stop of a running instance'),
      );
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
        `a second stop right after the first answers ${again.response?.status ?? 'nothing'}, and shows ${stateIn(again) ?? 'no state'}`,
        again,
      );
      if (!isSuccess(answer)) throw new NotExercised('the stop was not accepted');
      const settled = await life.follow(stopOfRunning);
      judgeOrLack(
        t,
        'compute.states.running-stop-settles',
        settled,
        'the instance erred or vanished while it stopped, and what follows is not shown',
      );
      const after = await life.requireStatus();
      judgeOrLack(
        t,
        'compute.stop-instance.response-state',
        shownBetween(before, answer, after),
        'the answer shows no documented state',
      );
      judgeOrLack(
        t,
        'compute.states.stop-keeps-start',
        startKept(before, after),
        'the dates of the start are missing, or name no instant',
      );
      const dated = async () =>
        createdNow(
          life.id,
          listed,
          await readWindow(t.api, {
            date_range_begin: instant(Date.now() - DAY_MS),
            date_range_end: instant(Date.now() + DAY_MS),
          }),
        );
      judgeOrLack(
        t,
        'compute.list-instances.date-of-creation',
        await tryAgain(
          dated,
          ({ violations }) => violations.length === 0,
          CATCHING_UP_MS,
          t.signal,
        ),
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
      const answer = await t.api.stop(life.id);
      t.judge(
        'compute.stop-instance.terminated-conflict',
        answeredWith(answer, 409, 'A stop of a terminated instance'),
      );
      const after = await life.look();
      if (after === undefined) {
        t.notExercised(
          'compute.states.refused-stop-keeps-terminated',
          'terminated instances are not to be seen here',
        );
        return;
      }
      const kept = stillIn(after, ['TERMINATED'], answer, 'A refused stop');
      t.judge('compute.states.refused-stop-keeps-terminated', kept);
      if (kept.violations.length > 0) return;
      const noted = await t.api.stop(life.id, { json: { reason_note: 'not needed any more' } });
      t.judge(
        'compute.stop-instance.terminated-conflict',
        answeredWith(noted, 409, 'A stop of a terminated instance with a note'),
      );
    },
  );
});
