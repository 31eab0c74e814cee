/** Both date bounds in one request (compute#list-instances/date_range_end). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, pass, notObserved, violated } from '../judgement.ts';
import { type Part, notAnswered } from './selection.ts';

interface Window {
  readonly ids: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** Begin and end together give the instances of `order` that each gives alone; an empty window says nothing. */
export function bothBounds(
  order: readonly string[],
  begin: Window,
  end: Window,
  both: Window,
): Judgement {
  const [first, second, got] = [new Set(begin.ids), new Set(end.ids), new Set(both.ids)];
  const expected = order.filter((id) => first.has(id) && second.has(id));
  const actual = order.filter((id) => got.has(id));
  if (expected.length === 0 && actual.length === 0) return notObserved;
  const wanted = new Set(expected);
  const wrong = [
    ...expected.filter((id) => !got.has(id)),
    ...actual.filter((id) => !wanted.has(id)),
  ];
  if (wrong.length > 0) {
    return violated(
      'Begin and end together do not give what is in both windows.',
      { expected: expected.slice(0, 20), actual: actual.slice(0, 20) },
      ...both.exchanges,
      ...begin.exchanges,
      ...end.exchanges,
    );
  }
  return expected.length < order.length ? pass() : notObserved;
}

/**
 * A window of two bounds has an instance that each of them has alone, read after it. `window` is the query in words.
 * What our own bound cut may have it further on.
 */
export function instantInBoth(
  id: string,
  both: Part,
  alone: readonly Window[],
  window: string,
): Judgement {
  // The list may have changed since the bounds were found.
  if (!alone.every(({ ids }) => ids.includes(id))) return notObserved;
  const broken = notAnswered(both, window);
  if (broken !== undefined) return broken;
  const isThere = both.ids.includes(id);
  if (!isThere && both.end !== 'last-page') return notObserved;
  return expectThat(
    isThere,
    'A window lacks what each of its bounds has at that instant.',
    { expected: `${id} in the window ${window}`, actual: `${both.ids.length} others` },
    ...both.exchanges,
    ...alone.flatMap(({ exchanges }) => exchanges),
  );
}
