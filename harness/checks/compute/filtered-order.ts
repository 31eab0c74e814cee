/** A filtered list in the order of the default list (compute#list-instances/sort_field/default). */

import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { standing } from './extent.ts';
import { isSameSequence } from './bracket.ts';
import type { Part } from './selection.ts';

/** The ids of the whole list that are in the part as well, in the order of each. */
export function commonOrder(
  whole: Pick<Part, 'ids'>,
  part: Pick<Part, 'ids'>,
): { readonly expected: readonly string[]; readonly actual: readonly string[] } {
  const [known, found] = [new Set(whole.ids), new Set(part.ids)];
  return {
    expected: whole.ids.filter((id) => found.has(id)),
    actual: [...found].filter((id) => known.has(id)),
  };
}

/** The part comes in the order of the list that it is of, read before and after; `isTied` when dates cannot tell. */
export function inListOrder(
  { before, after }: { readonly before: Part; readonly after: Part },
  part: Part,
  isTied: boolean,
): Judgement {
  const bracket = { before: before.ids, after: after.ids };
  const still = standing(bracket);
  const other = standing({ before: after.ids, after: before.ids });
  const { expected, actual } = commonOrder({ ids: still }, part);
  if (expected.length < 2 || isTied || !isSameSequence(still, other)) return notObserved;
  const place = expected.findIndex((id, index) => actual[index] !== id);
  return expectThat(
    place === -1,
    'A filtered list is in another order than the default list.',
    { expected: `${expected[place]} at place ${place + 1}`, actual: actual[place] },
    ...part.exchanges,
    ...before.exchanges.slice(0, 1),
  );
}
