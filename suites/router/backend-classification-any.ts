/** Backend error classification: generated errors of every kind, and what the tables leave open. */

import { boolean, nat, tuple } from 'fast-check';
import { classifiedAs, noRateLimit } from '../../harness/checks/router/classified.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import {
  formlessError,
  typedError,
  untypedError,
  wordedError,
} from '../../harness/generate/engine-error.ts';
import { parametersAt } from '../../harness/drivers/router/request-parameters.ts';
import { afterError } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';

export default routerSection('backend-classification', (test) => {
  test(
    'a 429 of the engine never comes out as a rate limit',
    { judges: ['router.backend-classification.status-429-not-rate-limit'] },
    async (t) => {
      const said = [
        '',
        'rate limit exceeded',
        { type: 'rate_limit_exceeded', message: 'slow down' },
      ];
      for (const error of said) {
        const body = typeof error === 'string' ? error : JSON.stringify({ error });
        const { exchange, hits } = await afterError(t, { status: 429, body });
        t.judge(
          'router.backend-classification.status-429-not-rate-limit',
          whenReached(hits, () => noRateLimit(exchange)),
        );
      }
    },
  );

  /** Any error of a kind, and the requirement that speaks of it most. */
  const properties = [
    ['known types decide', typedError, 'type-over-other-status'],
    ['the wording decides', wordedError, 'wording-any-order-and-case'],
    ['unknown types decide nothing', untypedError, 'unknown-type'],
    ['bodies without a form', formlessError, 'status-other'],
  ] as const;
  for (const [name, arbitrary, slug] of properties) {
    const id = `router.backend-classification.${slug}` as const;
    test(`any error: ${name}`, { judges: [id], requests: 20 }, async (t) => {
      // An error before the first byte of a stream is classified like any other.
      const asked = tuple(arbitrary, boolean(), nat({ max: 4 }).map(parametersAt));
      await t.property(name, asked, async ([error, stream, parameters], judge) => {
        const { exchange, hits } = await afterError(t, error, { stream, ...parameters });
        judge(
          id,
          whenReached(hits, () => classifiedAs(exchange, error)),
        );
      });
    });
  }

  test(
    'which of two known types wins is recorded',
    { judges: ['router.backend-classification.both-types'] },
    async (t) => {
      for (const [top, nested] of [
        ['context_length_exceeded', 'invalid_parameter'],
        ['invalid_parameter', 'context_length_exceeded'],
      ] as const) {
        const body = JSON.stringify({ type: top, error: { type: nested, message: 'no' } });
        const { exchange } = await afterError(t, { status: 400, body });
        t.record(
          'router.backend-classification.both-types',
          `${top} at the top, ${nested} nested: ${outcomeText(exchange)}`,
          exchange,
        );
      }
    },
  );

  test(
    'the final codes of what is tried again are recorded',
    { judges: ['router.backend-classification.final-codes'] },
    async (t) => {
      for (const status of [429, 500, 503]) {
        const { exchange } = await afterError(t, { status, body: '' });
        t.record(
          'router.backend-classification.final-codes',
          `${status}: ${outcomeText(exchange)}`,
          exchange,
        );
      }
    },
  );
});
