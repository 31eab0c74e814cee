/** Follows the cursors of a list to its end, within bounds. */

import { nextCursor } from '../../checks/compute/next-cursor.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Query } from './api.ts';

/**
 * How a walk ended: `last-page` on a null cursor, `limit` at our own bound, `cursor-again` on a cursor
 * that it had already followed, `no-page` on an answer that is no page.
 */
export type WalkEnd = 'last-page' | 'limit' | 'cursor-again' | 'no-page';

export interface Walk {
  readonly pages: readonly Exchange[];
  /** Everything that stood in the array of items, page after page. */
  readonly items: readonly unknown[];
  readonly end: WalkEnd;
}

export interface WalkOptions {
  /** Asks for one page; `cursor` is undefined for the first. */
  readonly page: (cursor: string | undefined) => Promise<Exchange>;
  /** Reads the items of a page; undefined when the answer is no page. */
  readonly items: (exchange: Exchange) => readonly unknown[] | undefined;
  readonly mostPages: number;
}

/** Walks until the last page or a bound. Never throws for what the target answers. */
export async function walk(options: WalkOptions): Promise<Walk> {
  const pages: Exchange[] = [];
  const items: unknown[] = [];
  const followed = new Set<string>();
  let cursor: string | undefined;
  while (pages.length < options.mostPages) {
    const exchange = await options.page(cursor);
    pages.push(exchange);
    const found = options.items(exchange);
    const next = nextCursor(exchange);
    if (found === undefined || next === undefined) return { pages, items, end: 'no-page' };
    items.push(...found);
    if (next === null) return { pages, items, end: 'last-page' };
    if (followed.has(next)) return { pages, items, end: 'cursor-again' };
    followed.add(next);
    cursor = next;
  }
  return { pages, items, end: 'limit' };
}

/** The query of a page: the same as the first, with the cursor added. */
export function withCursor(query: Exclude<Query, string>, cursor: string | undefined): Query {
  return cursor === undefined ? query : { ...query, cursor };
}
