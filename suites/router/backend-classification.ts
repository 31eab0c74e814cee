/** Backend error classification: the decision tables, row by row, and the message of a classified error. */

import { boolean, nat, tuple } from 'fast-check';
import { classifiedAs } from '../../harness/checks/router/classification.ts';
import { outcomeText } from '../../harness/checks/router/outcome.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { afterError, bareErrors } from '../../harness/drivers/router/provoke.ts';
import { parametersAt } from '../../harness/drivers/router/bodies.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { typedBeyondBuffers } from '../../harness/generate/engine-errors.ts';
import { classified } from './laws/classified-errors.ts';

const ID = 'router.backend-classification';

/** Time limit for a row in milliseconds: if failed agents rest, many errors take a while. */
const MAX_MS = 60_000;

export default routerSection('backend-classification', (test) => {
  for (const [slug, errors, more = {}] of classified) {
    const { title, any, check = classifiedAs, also = [], stream = false } = more;
    // Requests of any form must get the code; only plain requests are used to judge the message.
    const isCode = check === classifiedAs;
    const name = title === undefined ? `row ${slug}` : `row ${slug}: ${title}`;
    const others = also.map(([other]) => `${ID}.${other}` as const);
    test(name, { judges: [`${ID}.${slug}`, ...others] }, async (t) => {
      // Rows with generated errors ask for a stream in every second pair of requests.
      const isStream = (turn: number) => stream || (any !== undefined && isCode && turn % 4 > 1);
      const all = errors.map((error, turn) => [error, isStream(turn), turn] as const);
      const listed = t.some(all, 3);
      const probe = async (
        [error, asStream, turn]: (typeof listed)[number],
        judge: RouterContext['judge'],
      ) => {
        const options = isCode ? { ...parametersAt(turn), stream: asStream } : { stream };
        const { exchange, hits } = await afterError(t, error, options);
        for (const [of, law] of [[slug, check] as const, ...also]) {
          judge(`${ID}.${of}`, whenReached(hits, law(exchange, error)));
        }
      };
      if (any === undefined)
        for (const one of listed) await probe(one, (id, judgement) => t.judge(id, judgement));
      else
        await t.property(slug, tuple(any, boolean(), nat({ max: 4 })), probe, {
          examples: listed.map(([...one]) => one),
          weight: errors.length > 0 ? 0.5 : 0.8,
          timeLimitMs: MAX_MS,
        });
    });
  }

  test(
    'what the tables leave open is recorded',
    { judges: [`${ID}.both-types`, `${ID}.type-in-large-error`, `${ID}.final-codes`] },
    async (t) => {
      const [first, second] = ['context_length_exceeded', 'invalid_parameter'];
      for (const [type, nested] of [
        [first, second],
        [second, first],
      ]) {
        const body = JSON.stringify({ type, error: { type: nested, message: 'no' } });
        const { exchange } = await afterError(t, { status: 400, body });
        const note = `${type} at the top, ${nested} nested: ${outcomeText(exchange)}`;
        t.record(`${ID}.both-types`, note, exchange);
      }
      for (const error of typedBeyondBuffers) {
        const { exchange } = await afterError(t, error);
        const note = `${error.body.length} bytes: ${outcomeText(exchange)}`;
        t.record(`${ID}.type-in-large-error`, note, exchange);
      }
      for (const [status, { exchange }] of await bareErrors.of(t)) {
        if (status === 400) continue;
        const note = `${status}: ${outcomeText(exchange)}`;
        t.record(`${ID}.final-codes`, note, exchange);
      }
    },
  );
});
