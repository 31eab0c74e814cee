/** Response headers: X-Request-ID, traceparent and Retry-After (router#headers). */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import {
  requestId,
  retryAfterSeconds,
  traceparent,
} from '../../../schemas/router/response-headers.ts';
import { EVENT_STREAM } from '../../../schemas/router/streaming.ts';
import {
  type Exchange,
  type RecordedResponse,
  headerValue,
  headerValues,
  mediaType,
} from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { type Fold, freshId, judgedAs } from '../universal.ts';
import { codeOf, envelopeOf, mayBeServerAnswer, owesEnvelope } from './envelope.ts';
import {
  familyOf,
  requestedModel,
  type RouterKnowledge,
  type RouterVerdicts,
  mayBeForwarded,
} from './route.ts';
import { isRouterCode } from '../../../schemas/router/codes.ts';

const HEADER = 'X-Request-ID';

/** The request id of a response, if any. When an engine's header stands beside it, the UUID is the router's. */
export function requestIdOf(exchange: Exchange): string | undefined {
  const lines = headerValues(exchange.response?.headers ?? [], HEADER);
  return lines.find(isUuid) ?? lines[0];
}

/** Codes of refusals that happen before an engine is asked. */
const beforeEngines: ReadonlySet<string> = new Set([
  'request_invalid',
  'input_too_long',
  'unauthorized',
  'model_forbidden',
  'model_not_found',
  'rate_limit_exceeded',
  'concurrency_limit_exceeded',
]);

/** True for a response in which no header can come from an engine. */
function isOfRouterAlone(exchange: Exchange, knowledge: RouterKnowledge): boolean {
  const family = familyOf(exchange);
  if (family !== 'native' && family !== 'proxy') return true;
  return beforeEngines.has(codeOf(exchange)) && knowledge.mayBeForwarded?.(exchange) !== true;
}

function isUuid(text: string): boolean {
  return requestId.safeParse(text).success;
}

function presenceRequirement(response: RecordedResponse): RouterRequirementId | undefined {
  const { status, headers } = response;
  if (status === 401) return 'router.response-headers.request-id-on-unauthorized';
  if (status === 404) return 'router.response-headers.request-id-on-not-found';
  if (status === 413) return 'router.response-headers.request-id-on-oversize';
  if (status >= 400) return 'router.response-headers.request-id-on-error';
  if (status < 200 || status >= 300) return undefined;
  return mediaType(headers) === EVENT_STREAM
    ? 'router.response-headers.request-id-on-stream'
    : 'router.response-headers.request-id-on-success';
}

/** The methods of routes. A firewall in front may refuse any other by itself, with the 403 that the router keeps for models. */
const routeMethods = new Set(['GET', 'HEAD', 'POST']);

function mayBeOfFirewall({ request, response }: Exchange): boolean {
  return response?.status === 403 && !routeMethods.has(request.method);
}

/** Judges the presence of the id by kind of response, and its form (router#headers/x-request-id). */
export function* requestIdHeader(exchange: Exchange, knowledge: RouterKnowledge): RouterVerdicts {
  const { response } = exchange;
  if (response === undefined || mayBeServerAnswer(exchange) || mayBeOfFirewall(exchange)) return;
  const presence = presenceRequirement(response);
  const id = isOfRouterAlone(exchange, knowledge)
    ? headerValue(response.headers, HEADER)
    : requestIdOf(exchange);
  if (presence !== undefined) {
    yield judgedAs(
      presence,
      id !== undefined && id !== '',
      `A ${response.status} carries no ${HEADER}.`,
      { expected: `${HEADER} with a UUID`, actual: response.headers.map(([name]) => name) },
      exchange,
    );
  }
  // The server decides what a 413 holds, so only the presence of the id is judged.
  if (id === undefined || id === '' || response.status === 413) return;
  yield judgedAs(
    'router.response-headers.request-id-uuid',
    isUuid(id),
    `${HEADER} is not a UUID.`,
    { expected: 'a UUID', actual: id },
    exchange,
  );
}

/** No two requests get the same id, ignoring case. The very first id has nothing to repeat. */
export const routerRequestIdFresh: Fold<Exchange, RouterRequirementId, string> = {
  requirement: 'router.response-headers.request-id-fresh',
  judge: (exchange, known) => {
    const { judgement, learned } = freshId(
      exchange,
      requestIdOf(exchange)?.toLowerCase() || undefined,
      known,
    );
    return { judgement: known.size === 0 ? notObserved : judgement, learned };
  },
};

/** Requests without an id of their own got different ids; exchanges whose request has an id are skipped. */
export function freshRequestIds(exchanges: readonly Exchange[]): Judgement {
  const known = new Map<string, string>();
  const judgements = exchanges.map((exchange) => {
    const { judgement, learned } = routerRequestIdFresh.judge(exchange, known);
    for (const [id, carrier = ''] of learned) known.set(id, carrier);
    return judgement;
  });
  return together(...judgements);
}

/** The id of the response is a UUID. A response without an id is judged by another check. */
export function uuidDespiteClient(exchange: Exchange): Judgement {
  const id = requestIdOf(exchange);
  if (id === undefined) return notObserved;
  return expectThat(
    isUuid(id),
    'X-Request-ID is not a UUID after the client sent another text.',
    { expected: 'a UUID', actual: id },
    exchange,
  );
}

/** Judges the header of every response that has it (router#headers/traceparent). */
export function* traceContext(exchange: Exchange): RouterVerdicts {
  // An engine's header may stand beside the router's: each line is judged by itself.
  for (const value of headerValues(exchange.response?.headers ?? [], 'traceparent')) {
    yield judgedAs(
      'router.response-headers.traceparent-valid',
      traceparent.safeParse(value).success,
      'traceparent is not W3C trace context.',
      { expected: '00-<32 hex>-<16 hex>-<2 hex>, lower case, ids not all zero', actual: value },
      exchange,
    );
  }
}

/** The Retry-After of a response as received, if any. */
export function retryAfterOf(exchange: Exchange): string | undefined {
  return headerValue(exchange.response?.headers ?? [], 'retry-after');
}

/** Passes when Retry-After is a whole number of seconds; a date or a fraction is a violation. */
export function carriesRetryAfter(exchange: Exchange): Judgement {
  const value = retryAfterOf(exchange);
  return expectThat(
    retryAfterSeconds.safeParse(value).success,
    'Retry-After is not a whole number of seconds.',
    { expected: 'whole seconds, such as 1', actual: value ?? 'no Retry-After' },
    exchange,
  );
}

/** Retry-After is valid, and asks for the one second that the document names. */
function* retryAfter(exchange: Exchange, requirement: RouterRequirementId): RouterVerdicts {
  const judgement = carriesRetryAfter(exchange);
  yield { requirement, judgement };
  if (judgement.violations.length > 0) return;
  yield judgedAs(
    'router.response-headers.retry-after-value',
    Number(retryAfterOf(exchange)) === 1,
    'Retry-After asks for another time than the document names.',
    { expected: '1', actual: retryAfterOf(exchange) },
    exchange,
  );
}

/** Passes when there is no Retry-After. */
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
export function* retryAfterHeader(exchange: Exchange, knowledge: RouterKnowledge): RouterVerdicts {
  if (!owesEnvelope(exchange) || mayBeForwarded(exchange, knowledge)) return;
  const error = envelopeOf(exchange);
  if (error === undefined || !isRouterCode(error.code)) return;
  const id = 'router.response-headers';
  const none = carriesNoRetryAfter(exchange);
  if (error.code === 'concurrency_limit_exceeded') {
    yield* retryAfter(exchange, `${id}.retry-after-on-concurrency`);
  } else if (error.code !== 'rate_limit_exceeded') {
    // An engine's header may survive on an engine's error, so those are not judged here.
    if (error.source !== 'router') return;
    yield { requirement: `${id}.no-retry-after-elsewhere`, judgement: none };
  } else if (isPlain(exchange, knowledge)) {
    yield { requirement: `${id}.no-retry-after-on-plain-rate-limit`, judgement: none };
  } else if (retryAfterOf(exchange) !== undefined) {
    yield* retryAfter(exchange, `${id}.retry-after-seconds`);
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
