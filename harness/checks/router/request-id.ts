/** X-Request-ID: there on every response, a UUID, and fresh. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { requestId } from '../../../schemas/router/response-headers.ts';
import { EVENT_STREAM } from '../../../schemas/router/streaming.ts';
import {
  type Exchange,
  headerValue,
  headerValues,
  mediaType,
  type RecordedResponse,
} from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import type { Fold, UniversalJudgement } from '../universal.ts';
import { codeOf } from './envelope.ts';
import type { RouterKnowledge } from './knowledge.ts';
import { familyOf } from './route.ts';
import { mayBeServerAnswer } from './server-answer.ts';

const HEADER = 'X-Request-ID';

/**
 * The request id of a response, undefined without one. Where a forwarded header of an engine stands beside it,
 * the line that is a UUID is the router's.
 */
export function requestIdOf(exchange: Exchange): string | undefined {
  const lines = headerValues(exchange.response?.headers ?? [], HEADER);
  return lines.find(isUuid) ?? lines[0];
}

/** Every line as the one value that they are together (RFC 9110 section 5.3), undefined without one. */
function joined(exchange: Exchange): string | undefined {
  const lines = headerValues(exchange.response?.headers ?? [], HEADER);
  return lines.length === 0 ? undefined : lines.join(', ');
}

/** Codes of refusals before an engine is asked. */
const beforeEngines: ReadonlySet<string> = new Set([
  'request_invalid',
  'input_too_long',
  'unauthorized',
  'model_forbidden',
  'model_not_found',
  'rate_limit_exceeded',
  'concurrency_limit_exceeded',
]);

/** True for an answer in which no header can be that of an engine. */
function isOfRouterAlone(exchange: Exchange, { mayBeForwarded }: RouterKnowledge): boolean {
  const family = familyOf(exchange);
  const mayAskEngine = family === 'native' || family === 'proxy';
  if (!mayAskEngine) return true;
  return beforeEngines.has(codeOf(exchange)) && mayBeForwarded?.(exchange) !== true;
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

/** Judges presence by the kind of response, and form (router#headers/x-request-id). */
export function* requestIdHeader(
  exchange: Exchange,
  knowledge: RouterKnowledge,
): Generator<UniversalJudgement<RouterRequirementId>> {
  const { response } = exchange;
  if (response === undefined || mayBeServerAnswer(exchange)) return;
  const presence = presenceRequirement(response);
  const id = isOfRouterAlone(exchange, knowledge) ? joined(exchange) : requestIdOf(exchange);
  if (presence !== undefined) {
    yield {
      requirement: presence,
      judgement: expectThat(
        id !== undefined && id !== '',
        `A ${response.status} carries no ${HEADER}.`,
        { expected: `${HEADER} with a UUID`, actual: response.headers.map(([name]) => name) },
        exchange,
      ),
    };
  }
  // What a 413 holds is the server's choice: only its presence is expected.
  if (id === undefined || id === '' || response.status === 413) return;
  yield {
    requirement: 'router.response-headers.request-id-uuid',
    judgement: expectThat(
      isUuid(id),
      `${HEADER} is not a UUID.`,
      { expected: 'a UUID', actual: id },
      exchange,
    ),
  };
}

/**
 * No two requests get the same id; known is the exchange that carried each. A request that brought an id says nothing: that may
 * come back. The first id of all can be nothing but fresh.
 */
export const routerRequestIdFresh: Fold<Exchange, RouterRequirementId, string> = {
  requirement: 'router.response-headers.request-id-fresh',
  judge: (exchange, known) => {
    const id = requestIdOf(exchange)?.toLowerCase() ?? '';
    const isChosen = headerValue(exchange.request.headers, HEADER) !== undefined;
    if (id === '' || isChosen) return { judgement: notObserved, learned: [] };
    const earlier = known.get(id);
    const judgement = expectThat(
      earlier === undefined || earlier === exchange.id,
      'Two requests were given the same request id.',
      { expected: 'an id of its own for each request', actual: `${id}, as in exchange ${earlier}` },
      exchange,
    );
    return {
      judgement: known.size === 0 ? notObserved : judgement,
      learned: earlier === undefined ? [[id, exchange.id]] : [],
    };
  },
};

/**
 * Whether requests that brought no id got different ones. Exchanges that brought one, or got none, are left out;
 * seen once for each further id.
 */
export function freshRequestIds(exchanges: readonly Exchange[]): Judgement {
  const known = new Map<string, string>();
  let seen = 0;
  for (const exchange of exchanges) {
    const { judgement, learned } = routerRequestIdFresh.judge(exchange, known);
    for (const [id, carrier] of learned) if (carrier !== undefined) known.set(id, carrier);
    seen += judgement.seen;
    const [violation] = judgement.violations;
    if (violation === undefined) continue;
    const id = requestIdOf(exchange)?.toLowerCase();
    const earlier = exchanges.filter((one) => requestIdOf(one)?.toLowerCase() === id).slice(0, 1);
    return { seen, violations: [{ ...violation, exchanges: [exchange, ...earlier] }] };
  }
  return seen === 0 ? notObserved : { seen, violations: [] };
}
