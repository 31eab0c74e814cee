/** Everything that is judged on every exchange with a router, from the suite or recorded. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { judgedAs, type UniversalCheck, type UniversalJudgement } from '../universal.ts';
import { bearerChallenge } from './credentials.ts';
import { chatStream } from './event-stream.ts';
import { codeAgreement, envelopeForm } from './envelope.ts';
import { knowledgeOf, routeOf, type RouterKnowledge, type RouterVerdicts } from './route.ts';
import { remainingForm } from '../limits/quota.ts';
import { requestIdHeader, retryAfterHeader, traceContext } from './headers.ts';
import { modelList } from '../../../schemas/router/endpoints.ts';
import { isObject, jsonBody, membersOf } from '../../exchange/body.ts';

/** The universal check of the router contract. */
export const universalRouterCheck: UniversalCheck<RouterKnowledge, RouterRequirementId> =
  function* (exchange, knowledge) {
    if (exchange.response === undefined) return;
    yield* requestIdHeader(exchange, knowledge);
    yield* envelopeForm(exchange, knowledge);
    yield* codeAgreement(exchange, knowledge);
    yield* bearerChallenge(exchange, knowledge);
    yield* traceContext(exchange);
    yield* remainingForm(exchange);
    yield* retryAfterHeader(exchange, knowledge);
    yield* modelListForm(exchange);
    yield* chatStream(exchange, knowledge);
  };

/** The universal check of one target. `mayBeForwarded`: the engine may have answered with the router's own envelope. */
export function routerUniversal(options: {
  readonly target: Pick<RouterTarget, 'keys' | 'models' | 'limits'>;
  readonly mayBeForwarded?: (exchange: Exchange) => boolean;
}): (exchange: Exchange) => Iterable<UniversalJudgement<RouterRequirementId>> {
  const knowledge = knowledgeOf(options.target, options.mayBeForwarded);
  return (exchange) => universalRouterCheck(exchange, knowledge);
}

/** The ids of a model list in order; undefined when the exchange is not a well-formed list. */
export function listedModels(exchange: Exchange): readonly string[] | undefined {
  const list = isModelList(exchange) ? modelList.safeParse(membersOf(exchange)) : undefined;
  return list?.data?.data.map((item) => item.id);
}

function isModelList(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return routeOf(exchange) === 'models' && status >= 200 && status < 300;
}

/** Judges every model list that arrived whole (router#endpoints/get-models). An empty list shows no items. */
function* modelListForm(exchange: Exchange): RouterVerdicts {
  if (!isModelList(exchange) || exchange.ending !== 'complete') return;
  const body = jsonBody(exchange);
  const data = membersOf(exchange)?.['data'];
  yield judgedAs(
    'router.endpoints.models-list-data',
    Array.isArray(data),
    'The model list has no array `data`.',
    { expected: '{"data": […]}', actual: body.ok ? body.value : body.problem },
    exchange,
  );
  if (!Array.isArray(data) || data.length === 0) return;
  const without = data.filter((item) => !isObject(item) || typeof item['id'] !== 'string');
  yield judgedAs(
    'router.endpoints.models-list-item-id',
    without.length === 0,
    'An item of the model list has no `id` that is a string.',
    { expected: 'an `id` in each item', actual: without },
    exchange,
  );
}
