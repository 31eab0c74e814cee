/** Pages against the size that they were made for (compute#list-instances/size). */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { isSuccess, itemsOf } from './records.ts';

/** A page for this size: a 200 with a list of at most so many items. */
export function servesPage(exchange: Exchange, size: number): Judgement {
  if (!isTelling(exchange)) return notObserved;
  const items = exchange.response?.status === 200 ? itemsOf(exchange) : undefined;
  return expectThat(
    items !== undefined && items.length <= size,
    `A page of ${size} was not served.`,
    {
      expected: `200 with at most ${size} items`,
      actual: items === undefined ? answered(exchange) : `${items.length} items`,
    },
    exchange,
  );
}

/**
 * A page that was asked for without a size is made for the default. A short last page tells it only where its
 * size member does: what that means on such a page is open.
 */
export function madeForDefault(exchange: Exchange, standard: number): Judgement {
  const body = jsonBody(exchange);
  const items = itemsOf(exchange);
  if (!isTelling(exchange)) return notObserved;
  if (!isSuccess(exchange) || !body.ok || items === undefined)
    return servesPage(exchange, standard);
  const pagination = isObject(body.value) ? body.value['pagination'] : undefined;
  const { next, size } = isObject(pagination) ? pagination : {};
  const wrong = (actual: string): Judgement =>
    violated(
      `A page without a size is not made for ${standard} items.`,
      { expected: `${standard} items`, actual },
      exchange,
    );
  if (items.length > standard) return wrong(`${items.length} items`);
  const goesOn = typeof next === 'string';
  if (goesOn && size !== standard) return wrong(`more pages, and a size of ${String(size)}`);
  const isOther = Number.isInteger(size) && size !== standard && size !== items.length;
  if (isOther) return wrong(`${items.length} items on a page of ${String(size)}`);
  return goesOn || size === standard ? { seen: 1, violations: [] } : notObserved;
}
