/** Filtered presets against all presets, and pages of presets without any. */

import { expectThat, type Judgement, notObserved, violated } from '../judgement.ts';
import { isSameSequence } from './bracket.ts';
import { notAnswered, type Selection } from './filter.ts';
import { isSuccess } from '../compute/records.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { answered, isInformative } from '../compute/answers.ts';
import { presetsOf } from '../compute/presets.ts';

/**
 * The filter gives exactly the presets that it means, each as often as the full list has it. Nothing meant and
 * nothing given says nothing; neither does a list that changed meanwhile, or one that was not read to its end. Of a
 * walk that was not read to its end, only what came is judged: it may be long for what it should not have.
 */
export function selectsPresets({ before, after, part, matches, filter }: Selection): Judgement {
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  const isKnown = [before, after].every(({ end }) => end === 'last-page');
  if (!isKnown || !isSameSequence(before.ids, after.ids)) return notObserved;
  const expected = before.ids.filter((_, index) => {
    const preset = before.records[index];
    return preset !== undefined && matches(preset);
  });
  if (expected.length === 0 && part.ids.length === 0) return notObserved;
  const missing = part.end === 'last-page' ? without(expected, part.ids) : [];
  const extra = without(part.ids, expected);
  if (part.end !== 'last-page' && extra.length === 0) return notObserved;
  return expectThat(
    missing.length === 0 && extra.length === 0,
    `The filter ${filter} does not give the presets that it means.`,
    {
      expected: `${expected.length} presets`,
      actual: `${part.ids.length} presets; missing: ${missing[0] ?? 'none'}; too many: ${extra[0] ?? 'none'}`,
    },
    ...part.exchanges,
  );
}

/** What is in one list beyond what is in the other, repeats counted. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

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
  if (!isInformative(exchange)) return notObserved;
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
