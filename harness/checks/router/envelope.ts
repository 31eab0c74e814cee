/** Reading the error envelope, and judging its form on known client routes. */

import {
  errorEnvelope,
  errorSources,
  type ErrorEnvelope,
} from '../../../schemas/router/envelope.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, pass, violated } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { isKnownClientRoute } from './route.ts';
import { mayBeServerAnswer } from './server-answer.ts';

/** The envelope of an exchange, undefined when its body is none or did not arrive whole. */
export function envelopeOf(exchange: Exchange): ErrorEnvelope['error'] | undefined {
  const body = jsonBody(exchange);
  if (!body.ok) return undefined;
  const parsed = errorEnvelope.safeParse(body.value);
  return parsed.success ? parsed.data.error : undefined;
}

/** The code in the envelope of an error, `''` when there is none. */
export function codeOf(exchange: Exchange): string {
  return (exchange.response?.status ?? 0) < 400 ? '' : (envelopeOf(exchange)?.code ?? '');
}

/** True when the document promises the envelope for this answer (router#envelope). */
export function owesEnvelope(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  if (status === undefined || status < 400 || status === 413) return false;
  // A server may take an encoded slash for a bare one, which makes another path.
  if (/%2f/iu.test(exchange.request.path)) return false;
  return isKnownClientRoute(exchange) && !mayBeServerAnswer(exchange);
}

/** Judges the form of the envelope wherever it is owed and the body arrived whole. */
export function* envelopeForm(
  exchange: Exchange,
): Generator<UniversalJudgement<RouterRequirementId>> {
  if (!owesEnvelope(exchange) || exchange.ending !== 'complete') return;
  const status = exchange.response?.status;
  const body = jsonBody(exchange);
  const error = body.ok && isObject(body.value) ? body.value['error'] : undefined;
  if (!isObject(error)) {
    yield {
      requirement: 'router.envelope.object',
      judgement: violated(
        `The ${status} of a known client route is not the error envelope.`,
        {
          expected: 'a JSON object with an object `error`',
          actual: body.ok ? body.value : body.problem,
        },
        exchange,
      ),
    };
    return;
  }
  yield { requirement: 'router.envelope.object', judgement: pass() };
  for (const field of ['code', 'message'] as const) {
    yield {
      requirement: `router.envelope.${field}`,
      judgement: expectThat(
        typeof error[field] === 'string',
        `The \`${field}\` of the error envelope is not a string.`,
        { expected: 'a string', actual: error },
        exchange,
      ),
    };
  }
  yield {
    requirement: 'router.envelope.source',
    judgement: expectThat(
      errorSources.some((source) => source === error['source']),
      'The `source` of the error envelope is not one of the two.',
      { expected: errorSources.join(' or '), actual: error },
      exchange,
    ),
  };
  const type = mediaType(exchange.response?.headers ?? []);
  yield {
    requirement: 'router.envelope.content-type',
    judgement: expectThat(
      type === 'application/json' || type?.endsWith('+json') === true,
      'The error envelope is not labelled as JSON.',
      { expected: 'application/json', actual: type ?? 'no Content-Type' },
      exchange,
    ),
  };
}
