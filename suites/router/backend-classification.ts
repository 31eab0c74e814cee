/** Backend error classification: the decision tables, row by row, and the message of a classified error. */

import { boolean, nat, tuple } from 'fast-check';
import { classifiedAs, codeOfType, messageIn } from '../../harness/checks/router/classification.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { outcomeText } from '../../harness/checks/router/outcome.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { afterError, bareErrors, unlessExplained } from '../../harness/drivers/router/provoke.ts';
import { parametersAt } from '../../harness/drivers/router/bodies.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { isObject, jsonIn } from '../../harness/exchange/body.ts';
import {
  type GeneratedError,
  NEUTRAL,
  typedBeyondBuffers,
} from '../../harness/generate/engine-errors.ts';
import { classified } from './laws/classified-errors.ts';

const ID = 'router.backend-classification';

/** Statuses for which the tables have rows of their own. */
const ROWS_OF_THEIR_OWN: ReadonlySet<number> = new Set([400, 422, 429, 503]);

/** The error without what a row says that changes nothing. A code that is wrong for it, too, is judged in another row. */
function without(
  slug: (typeof classified)[number][0],
  { status, body }: GeneratedError,
): GeneratedError | undefined {
  const value = jsonIn(body);
  const withBody = (plain: unknown) => ({ status, body: JSON.stringify(plain) });
  if (slug === 'json-whatever-its-label') return { status, body };
  if (slug === 'one-known-type' && isObject(value)) {
    const { error, ...top } = value;
    return withBody(codeOfType(top['type']) === undefined ? { error } : top);
  }
  if (slug === 'wording-other-status') return withBody({ error: { message: NEUTRAL } });
  const isOther = slug === 'status-other' && !ROWS_OF_THEIR_OWN.has(status);
  if (isOther || !['unknown-type', 'status-other'].includes(slug)) return undefined;
  return withBody({ error: { message: messageIn(value) ?? NEUTRAL } });
}

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
        const isSoWithout = async () => {
          const plain = without(slug, error);
          if (plain === undefined) return false;
          return codeOf((await afterError(t, plain, options)).exchange) === codeOf(exchange);
        };
        for (const [of, law] of [[slug, check] as const, ...also]) {
          const judgement = whenReached(hits, law(exchange, error));
          judge(`${ID}.${of}`, await unlessExplained(judgement, isSoWithout));
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
