/** The end of a list (compute#pagination/next/last). */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { askedSize } from './page.ts';
import { isSuccess, itemsOf } from './records.ts';

export interface LastPage {
  readonly judgement: Judgement;
  /** The cursor of the page, if it has one. */
  readonly next: string | undefined;
  /** What the page says of its size. */
  readonly size: string;
}

/** Which list is read, and how its items are. */
export interface PagedList {
  readonly operation: 'list-instances' | 'presets';
  readonly itemsIn: (page: Exchange) => readonly unknown[] | undefined;
}

const instances: PagedList = { operation: 'list-instances', itemsIn: itemsOf };

/**
 * A page with room to spare has a null cursor. `following` is the page after it, if it has a cursor: only an
 * empty one shows that the page before was the last, since a page need not be full.
 */
export function lastPageIsNull(
  page: Exchange,
  following: Exchange | undefined,
  { operation, itemsIn }: PagedList = instances,
): LastPage {
  const body = jsonBody(page);
  const pagination =
    isSuccess(page) && body.ok && isObject(body.value) ? body.value['pagination'] : undefined;
  const { next, size } = isObject(pagination) ? pagination : {};
  const told = { next: typeof next === 'string' ? next : undefined, size: String(size) };
  const items = itemsIn(page)?.length ?? 0;
  const asked = askedSize(page, operation) ?? 0;
  if (!isObject(pagination) || items === 0 || items >= asked)
    return { ...told, judgement: notObserved };
  const ended = following === undefined ? undefined : itemsIn(following)?.length === 0;
  if (next !== null && ended !== true) return { ...told, judgement: notObserved };
  return {
    ...told,
    judgement: expectThat(
      next === null,
      'A page that holds the whole list, with room to spare, has a next page.',
      { expected: null, actual: next },
      page,
      ...(following === undefined ? [] : [following]),
    ),
  };
}
