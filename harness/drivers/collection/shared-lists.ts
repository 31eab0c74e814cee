/** What the cases of a session read of each list: the next case starts from there, until something acts on an instance. */

import type { Listing, ListingOptions, ListQuery } from './reading.ts';

/** Where a case finds what others read of a list, and leaves what it reads itself. */
export interface Shared<List> {
  readonly last: () => Promise<List | undefined>;
  readonly keep: (reading: Promise<List>) => void;
}

type What = 'instances' | 'presets';
type Lists = Readonly<Record<What, Map<string, Promise<Listing>>>>;
const known = new WeakMap<object, Lists>();

function listsOf(session: object): Lists {
  const lists = known.get(session) ?? { instances: new Map(), presets: new Map() };
  known.set(session, lists);
  return lists;
}

/** What one query gives of a collection. A list that was read to its end is good for whoever wants as many pages. */
export function sharedList(
  session: object,
  what: What,
  query: ListQuery,
  { mostPages = Infinity, ...size }: ListingOptions,
): Shared<Listing> {
  const lists = listsOf(session)[what];
  const key = JSON.stringify([query, size]);
  return {
    last: async () => {
      const list = await lists.get(key)?.catch(() => undefined);
      const pages = list?.exchanges.length ?? 0;
      const isEnough = list?.end === 'last-page' ? pages <= mostPages : pages === mostPages;
      return isEnough ? list : undefined;
    },
    keep: (reading) => lists.set(key, reading),
  };
}

/** Forgets what was read of the instances: something acts on one of them, or makes one. */
export function instancesChange(session: object): void {
  listsOf(session).instances.clear();
}
