/** Universal: the wait that a 429 tells (compute#errors/429/retry-after). */

import { retryAfterSchema } from '../../../schemas/compute/wire.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';

/** Judges the head of a 429: the body need not have arrived. */
export function* retryAfter(
  exchange: Exchange,
): Generator<UniversalJudgement<ComputeRequirementId>> {
  if (exchange.response?.status !== 429) return;
  const value = headerValue(exchange.response.headers, 'retry-after');
  yield {
    requirement: 'compute.rate-limiting.retry-after-there',
    judgement: expectThat(
      value !== undefined,
      'A 429 came without a Retry-After header.',
      { expected: 'Retry-After', actual: 'no such header' },
      exchange,
    ),
  };
  if (value === undefined) return;
  yield {
    requirement: 'compute.rate-limiting.retry-after-integer',
    judgement: expectThat(
      retryAfterSchema.safeParse(value).success,
      'Retry-After of a 429 is not a whole number of seconds.',
      { expected: 'digits alone', actual: value },
      exchange,
    ),
  };
}
