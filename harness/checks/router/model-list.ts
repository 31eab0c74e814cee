/** The model list: its form, and the ids in it. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { modelList } from '../../../schemas/router/endpoints.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { routeOf } from './route.ts';

/** The ids of a model list in their order; undefined when the exchange is no well-formed list. */
export function listedModels(exchange: Exchange): readonly string[] | undefined {
  if (!isModelList(exchange)) return undefined;
  const body = jsonBody(exchange);
  const list = body.ok ? modelList.safeParse(body.value) : undefined;
  return list?.success === true ? list.data.data.map((item) => item.id) : undefined;
}

function isModelList(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return routeOf(exchange) === 'models' && status >= 200 && status < 300;
}

/** Judges every model list that arrived whole (router#endpoints/get-models). An empty one shows no items. */
export function* modelListForm(
  exchange: Exchange,
): Generator<UniversalJudgement<RouterRequirementId>> {
  if (!isModelList(exchange) || exchange.ending !== 'complete') return;
  const body = jsonBody(exchange);
  const data = body.ok && isObject(body.value) ? body.value['data'] : undefined;
  yield {
    requirement: 'router.endpoints.models-list-data',
    judgement: expectThat(
      Array.isArray(data),
      'The model list has no array `data`.',
      { expected: '{"data": […]}', actual: body.ok ? body.value : body.problem },
      exchange,
    ),
  };
  if (!Array.isArray(data) || data.length === 0) return;
  const without = data.filter((item) => !isObject(item) || typeof item['id'] !== 'string');
  yield {
    requirement: 'router.endpoints.models-list-item-id',
    judgement: expectThat(
      without.length === 0,
      'An item of the model list has no `id` that is a string.',
      { expected: 'an `id` in each item', actual: without },
      exchange,
    ),
  };
}
