/** Sizes beside a cursor: whether a list looks at them is open, as it is for other parameters beside one. */

import { refusedWith } from '../../checks/compute/answers.ts';
import { nextCursor, shownSize } from '../../checks/collection/bounds.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** Sizes of two pages in a row, by which a list shows that it looks at the second one. */
const [FIRST, SECOND] = [1, 2];

/**
 * Whether a size above the maximum is refused on a later page as well, by a list that takes the size of such a page from its
 * own request. Vacuous for one that keeps to the size of the first page, and for a list of one item.
 */
export async function refusedOnLaterPages(
  list: (query: Readonly<Record<string, string | number>>) => Promise<Exchange>,
  tooLarge: number,
): Promise<Judgement> {
  const cursor = nextCursor(await list({ size: FIRST }));
  if (typeof cursor !== 'string') return notObserved;
  if (shownSize(await list({ cursor, size: SECOND })) !== SECOND) return notObserved;
  return refusedWith(await list({ cursor, size: tooLarge }), 400, `A later page of ${tooLarge}`);
}
