/** What a deployment did not show of the lists that its contract promises: then it may be another service. */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Contract } from '../../../schemas/requirement.ts';

interface PromisedList {
  readonly path: string;
  readonly what: string;
  readonly isShown: (exchange: Exchange) => boolean;
}

const promised: Readonly<Record<Contract, readonly PromisedList[]>> = {
  compute: [
    { path: '/instances', what: 'list of instances', isShown: hasData },
    { path: '/regions', what: 'list of regions', isShown: hasSomeList },
    { path: '/presets', what: 'list of presets', isShown: hasSomeList },
  ],
  router: [{ path: '/v1/models', what: 'list of models', isShown: isModelList }],
};

/** A sentence for each list that none of the answers to reads of it showed. */
export function unseenLists(contract: Contract, exchanges: readonly Exchange[]): readonly string[] {
  return promised[contract].flatMap(({ path, what, isShown }) => {
    const answers = exchanges.filter(({ request }) => request.path === path);
    const [first] = answers;
    if (first === undefined || answers.some(isShown)) return [];
    return [`GET ${path} answered ${first.response?.status ?? first.ending} and no ${what}.`];
  });
}

/** Whether the answer to `GET /v1/models` is a list, if an empty one. */
export function isModelList(exchange: Exchange): boolean {
  return hasData(exchange);
}

function hasData(exchange: Exchange): boolean {
  const body = jsonBody(exchange);
  return (
    exchange.response?.status === 200 &&
    body.ok &&
    isObject(body.value) &&
    Array.isArray(body.value['data'])
  );
}

/** Where the list stands is not documented. */
function hasSomeList(exchange: Exchange): boolean {
  const body = jsonBody(exchange);
  return exchange.response?.status === 200 && body.ok && holdsList(body.value);
}

function holdsList(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return isObject(value) && Object.values(value).some(holdsList);
}
