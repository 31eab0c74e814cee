/** Finds pages that would tell that a filter or a search was dropped on them. */

/** A size of page, and how many pages after the first would show something else without the selection. */
export interface TellingPages {
  readonly size: number;
  readonly telling: number;
}

/** Everything is held against pages of 200. */
const MOST = 199;
/** Pages that a walk may take after the last one that counts: it has to come to the end. */
export const PAGES_TO_THE_END = 2;

/**
 * The size of page by which most pages tell: without the selection, a page goes on in the whole list where the one
 * before ended, and tells when it meets something that is not selected. `selected` says of each item of the whole list,
 * in its order, whether the selection means it; only the pages from the second to `lastPage` count. Undefined when no
 * page of any size tells, as where what is selected stands together at the front.
 */
export function tellingPages(
  selected: readonly boolean[],
  lastPage: number,
): TellingPages | undefined {
  const places = selected.flatMap((isSelected, place) => (isSelected ? [place] : []));
  let best: TellingPages | undefined;
  const least = Math.max(1, Math.ceil(places.length / (lastPage + PAGES_TO_THE_END)));
  for (let size = Math.min(MOST, Math.ceil(places.length / 2)); size >= least; size -= 1) {
    let telling = 0;
    for (let page = 2; page <= lastPage && (page - 1) * size < places.length; page += 1) {
      const from = (places[(page - 1) * size - 1] ?? -1) + 1;
      if (selected.slice(from, from + size).includes(false)) telling += 1;
    }
    if (telling > (best?.telling ?? 0)) best = { size, telling };
  }
  return best;
}
