/** What the sections on stop, terminate, start and single instances have in common. */

import { answeredWithOneOf, refusedWith } from '../../harness/checks/compute/answers.ts';
import { actions, type WrongBody } from '../../harness/drivers/compute/actions.ts';
import type { ComputeContext } from '../../harness/drivers/compute/session.ts';
import { almostUuids, nearlyUuids } from '../../harness/generate/ids.ts';
import type { DefineCase } from '../../harness/runner/case.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';

type Test = DefineCase<ComputeContext, ComputeRequirementId>;

/** An id that exists nowhere is 404. */
export function findsNoUnknownId(test: Test, section: keyof typeof actions): void {
  const { call, what } = actions[section];
  const id = `compute.${section}.unknown-id` as const;
  test('an id that exists nowhere is not found', { judges: [id] }, async (t) => {
    const answer = await t.api[call](t.unknownInstanceId());
    t.judge(id, refusedWith(answer, 404, `${what} of an unknown id`));
  });
}

/** An id that is no UUID is 400 or 404. */
export function refusesMalformedIds(
  test: Test,
  section: 'stop-instance' | 'terminate-instance' | 'get-instance',
): void {
  const { call, what } = actions[section];
  const slug = `compute.${section}.malformed-id` as const;
  test('an id that is no UUID is refused', { judges: [slug] }, async (t) => {
    await t.property(
      'an id that is nearly a UUID',
      nearlyUuids(t.unknownInstanceId()),
      async (id, judge) => {
        const answer = await t.api[call](id);
        judge(slug, answeredWithOneOf(answer, [400, 404], `${what} of ${JSON.stringify(id)}`));
      },
      { weight: 0.25, examples: t.some(almostUuids(t.unknownInstanceId()), 3, 5) },
    );
  });
}

/** Wrong bodies are 400, one case for each kind; `send` brings the answers about. */
export function refusesBodies(
  test: Test,
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
    const waits = section === 'terminate-instance';
    test(title, { judges: [id], waits }, async (t) => {
      for (const { body, answer } of await send(t, slug)) {
        if (body.slug !== slug) continue;
        t.judge(id, refusedWith(answer, 400, `${actions[section].what} with ${body.what}`));
      }
    });
  }
}
