/** Cases that the sections on stop, terminate, start and single instances share. */

import type { Define } from '../../harness/drivers/collection/collection.ts';
import { answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { actions, NOTED, type WrongBody } from '../../harness/drivers/compute/actions.ts';
import type { ComputeContext } from '../../harness/drivers/compute/session.ts';
import { almostUuids, nearlyUuids } from '../../harness/generate/ids.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';
import { stillIn } from '../../harness/checks/compute/actions.ts';
import { lastingChange } from '../../harness/checks/compute/record-relations.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import type { Refused } from '../../harness/drivers/compute/stops.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';

/** An unknown id gives 404, and an invalid UUID gives 400 or 404; for a start the contract leaves the latter open. */
export function refusesIds(test: Define, section: keyof typeof actions): void {
  const { call, what } = actions[section];
  const unknown = `compute.${section}.unknown-id` as const;
  test('an id that exists nowhere is not found', { judges: [unknown] }, async (t) => {
    for (const body of section === 'stop-instance' || section === 'terminate-instance'
      ? [{}, NOTED]
      : [{}]) {
      const answer = await t.api[call](t.unknownInstanceId(), body);
      t.judge(unknown, refusedWith(answer, 404, `${what} of an unknown id`));
    }
  });

  if (section === 'start-instance') return;
  const malformed = `compute.${section}.malformed-id` as const;
  test('an id that is no UUID is refused', { judges: [malformed] }, async (t) => {
    await t.property(
      'an id that is nearly a UUID',
      nearlyUuids(t.unknownInstanceId()),
      async (id, judge) => {
        const answer = await t.api[call](id);
        judge(malformed, answeredWith(answer, [400, 404], `${what} of ${JSON.stringify(id)}`));
      },
      { weight: 0.25, examples: t.some(almostUuids(t.unknownInstanceId()), 3, 5) },
    );
  });
}

/** Invalid bodies give 400, one case for each kind; `send` sends them. */
export function refusesBodies(
  test: Define,
  section: 'stop-instance' | 'terminate-instance',
  send: (
    t: ComputeContext,
    slug: WrongBody['slug'],
  ) => Promise<readonly { readonly body: WrongBody; readonly answer: Exchange }[]>,
): void {
  for (const [slug, title] of [
    ['reason-note-too-long', 'a note that is too long is refused'],
    ['malformed-json', 'a body that is no JSON is refused'],
    ['reason-note-wrong-type', 'a note that is no text is refused'],
    ['body-not-object', 'a body that is no object is refused'],
  ] as const) {
    const id = `compute.${section}.${slug}` as const;
    const waitsLong = section === 'terminate-instance';
    test(title, { judges: [id], waitsLong }, async (t) => {
      for (const { body, answer } of await send(t, slug)) {
        if (body.slug !== slug) continue;
        t.judge(id, refusedWith(answer, 400, `${actions[section].what} with ${body.what}`));
      }
    });
  }
}

const alive = ['RUNNING', 'STOPPING', 'STOPPED'] as const;

/** A request with an invalid body does not change a running instance; `refused` sends such requests. */
export function refusedChangesNothing(
  test: Define,
  section: 'stop-instance' | 'terminate-instance',
  refused: (t: ComputeContext) => Promise<Refused>,
): void {
  const id = `compute.${section}.refused-note-changes-nothing` as const;
  const { what } = actions[section];
  const judges = [
    id,
    `compute.${section}.reason-note-too-long`,
    `compute.${section}.malformed-json`,
  ] as const;
  test(
    'what is refused for its body leaves a running instance as it was',
    { judges, waitsLong: true },
    async (t) => {
      const { answers, after } = await refused(t);
      for (const { body, answer } of answers) {
        const asked = `${what} of a running instance with ${body.what}`;
        t.judge(`compute.${section}.${body.slug}`, refusedWith(answer, 400, asked));
      }
      const last = answers.at(-1);
      if (last === undefined) throw new Inconclusive('the instance ended before it was acted on');
      if (isSuccess(last.answer)) throw new NotExercised('a body that is wrong was not refused');
      // A service may stop an instance at any time; no terminate does that.
      const kept = section === 'stop-instance' ? (['RUNNING'] as const) : alive;
      const [first, second] = after.map((seen) =>
        stillIn(seen, kept, last.answer, `${what} with a refused body`),
      );
      if (first === undefined || second === undefined) return;
      t.judge(id, lastingChange(first, second));
    },
  );
}
