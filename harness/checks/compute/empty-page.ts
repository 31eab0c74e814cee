/** Pages of presets without items, also where the name of the list that holds them is not known. */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { presetsOf } from './presets.ts';
import { isSuccess } from './records.ts';

/** Deeper than this a body is hostile, and holds no presets. */
const DEPTH = 8;

/** Where in a body lists with objects stand, each by the names that lead there. */
function* listsIn(value: unknown, above: readonly string[] = []): Generator<string> {
  if (Array.isArray(value)) {
    if (value.some((item) => isObject(item))) yield JSON.stringify(above);
  } else if (isObject(value) && above.length < DEPTH) {
    for (const [name, member] of Object.entries(value)) yield* listsIn(member, [...above, name]);
  }
}

function filledLists(page: Exchange): readonly string[] {
  const body = jsonBody(page);
  return isSuccess(page) && body.ok ? [...listsIn(body.value)] : [];
}

/**
 * A 2xx without presets. Where no binding tells which list holds them, it is one of those that `plain`, a page without
 * any filter, fills: a page may have others, such as links, and at least one of them must be empty now. Where `plain` is
 * empty, too, an empty page shows nothing.
 */
export function isEmptyPage(
  exchange: Exchange,
  what: string,
  plain: Exchange,
  bindings: ComputeBindings | undefined,
): Judgement {
  if (!isTelling(exchange)) return notObserved;
  const message = `${what} did not give an empty page.`;
  const sides = { expected: 'a 2xx without presets', actual: answered(exchange) };
  if (!isSuccess(exchange) || !jsonBody(exchange).ok) return violated(message, sides, exchange);
  if (bindings?.presets?.items !== undefined) {
    const isEmpty = presetsOf(exchange, bindings)?.length === 0;
    if (isEmpty && presetsOf(plain, bindings)?.length === 0) return notObserved;
    return expectThat(isEmpty, message, sides, exchange);
  }
  const candidates = filledLists(plain);
  if (candidates.length === 0) return notObserved;
  const filled = new Set(filledLists(exchange));
  return expectThat(
    candidates.some((list) => !filled.has(list)),
    message,
    sides,
    exchange,
    plain,
  );
}
