/** Filtered presets against the full list of presets, and pages without presets. */

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
 * The filter gives exactly the presets that match it, each as often as in the full list. Nothing is observed when nothing
 * matches and nothing came, or when the full list changed or was not read to its end. A filtered walk that was not read to
 * its end is judged only by its extra presets: those may be why it is so long.
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

/** The items of one list that the other lacks, repeats counted. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

/** A body nested deeper than this is hostile and holds no presets. */
const DEPTH = 8;

/** Paths to the lists of objects in a body, each as JSON of its member names. */
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
 * A 2xx without presets. Without a binding for the list of presets, it is one of the lists that `plain`, an unfiltered
 * page, fills. A page may have other lists too, such as links, so at least one of them must now be empty. When `plain` is
 * empty as well, an empty page shows nothing.
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
