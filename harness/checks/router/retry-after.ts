/** Retry-After: where it must be, may be and must not be, and that it counts seconds. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { isRouterCode } from '../../../schemas/router/codes.ts';
import { retryAfterSeconds } from '../../../schemas/router/response-headers.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { expectThat, type Judgement } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { mayBeForwarded } from './code-agreement.ts';
import { envelopeOf, owesEnvelope } from './envelope.ts';
import type { RouterKnowledge } from './knowledge.ts';
import { requestedModel } from './request-body.ts';
import { familyOf } from './route.ts';

/** The Retry-After of a response as it came, undefined without one. */
export function retryAfterOf(exchange: Exchange): string | undefined {
  return headerValue(exchange.response?.headers ?? [], 'retry-after');
}

/** Held when Retry-After is there and a whole number of seconds; a date or a fraction is neither. */
export function carriesRetryAfter(exchange: Exchange): Judgement {
  const value = retryAfterOf(exchange);
  return expectThat(
    value !== undefined && retryAfterSeconds.safeParse(value).success,
    'Retry-After is not a whole number of seconds.',
    { expected: 'whole seconds, such as 1', actual: value ?? 'no Retry-After' },
    exchange,
  );
}

/** Whether a Retry-After in whole seconds asks for the one that the document names. */
function* retryAfterValue(exchange: Exchange): Generator<UniversalJudgement<RouterRequirementId>> {
  const value = retryAfterOf(exchange);
  if (value === undefined || !retryAfterSeconds.safeParse(value).success) return;
  yield {
    requirement: 'router.response-headers.retry-after-value',
    judgement: expectThat(
      Number(value) === 1,
      'Retry-After asks for another time than the document names.',
      { expected: '1', actual: value },
      exchange,
    ),
  };
}

/** Held when there is no Retry-After. */
export function carriesNoRetryAfter(exchange: Exchange): Judgement {
  const value = retryAfterOf(exchange);
  return expectThat(
    value === undefined,
    'Retry-After stands where none is sent.',
    { expected: 'no Retry-After', actual: value },
    exchange,
  );
}

/** Judges every error in the envelope (router#headers/retry-after, router#headers/no-general-retry-after). */
export function* retryAfterHeader(
  exchange: Exchange,
  knowledge: RouterKnowledge,
): Generator<UniversalJudgement<RouterRequirementId>> {
  if (!owesEnvelope(exchange) || mayBeForwarded(exchange, knowledge)) return;
  const error = envelopeOf(exchange);
  if (error === undefined || !isRouterCode(error.code)) return;
  if (error.code === 'concurrency_limit_exceeded') {
    yield {
      requirement: 'router.response-headers.retry-after-on-concurrency',
      judgement: carriesRetryAfter(exchange),
    };
    yield* retryAfterValue(exchange);
  } else if (error.code === 'rate_limit_exceeded') {
    if (isPlain(exchange, knowledge)) {
      yield {
        requirement: 'router.response-headers.no-retry-after-on-plain-rate-limit',
        judgement: carriesNoRetryAfter(exchange),
      };
    } else if (retryAfterOf(exchange) !== undefined) {
      yield {
        requirement: 'router.response-headers.retry-after-seconds',
        judgement: carriesRetryAfter(exchange),
      };
      yield* retryAfterValue(exchange);
    }
  } else if (error.source === 'router') {
    // A header of an engine may survive on an error of the engine, so those are not judged here.
    yield {
      requirement: 'router.response-headers.no-retry-after-elsewhere',
      judgement: carriesNoRetryAfter(exchange),
    };
  }
}

/** True when neither the key nor the model can be under a serverless policy. */
function isPlain(exchange: Exchange, knowledge: RouterKnowledge): boolean {
  const { credential } = exchange.request;
  if (credential === undefined || !knowledge.plainCredentials.includes(credential)) return false;
  if (familyOf(exchange) === 'models') return true;
  const model = requestedModel(exchange);
  return model !== undefined && knowledge.plainModels.includes(model);
}
