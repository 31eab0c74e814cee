/** traceparent: valid where it is. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { traceparent } from '../../../schemas/router/response-headers.ts';
import { type Exchange, headerValues } from '../../exchange/exchange.ts';
import { expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';

/** Judges the header of every response that has it (router#headers/traceparent). */
export function* traceContext(
  exchange: Exchange,
): Generator<UniversalJudgement<RouterRequirementId>> {
  // A header of an engine may stand beside that of the router: each line is judged by itself.
  for (const value of headerValues(exchange.response?.headers ?? [], 'traceparent')) {
    yield {
      requirement: 'router.response-headers.traceparent-valid',
      judgement: expectThat(
        traceparent.safeParse(value).success,
        'traceparent is not W3C trace context.',
        { expected: '00-<32 hex>-<16 hex>-<2 hex>, lower case, ids not all zero', actual: value },
        exchange,
      ),
    };
  }
}
