/** Pages without items, also where the name of the list that holds them is not known. */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, vacuous } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { isSuccess } from './records.ts';

function holdsItems(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.values(value).some((member) => holdsItems(member));
}

/** A 2xx in whose body no list has an item. */
export function isEmptyPage(exchange: Exchange, what: string): Judgement {
  if (!isTelling(exchange)) return vacuous;
  const body = jsonBody(exchange);
  return expectThat(
    isSuccess(exchange) && body.ok && !holdsItems(body.value),
    `${what} did not give an empty page.`,
    { expected: 'a 2xx without items', actual: answered(exchange) },
    exchange,
  );
}
