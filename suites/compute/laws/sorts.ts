/** Laws of sorts: both directions are in order, on one page and on several, with filters, and no item is lost. */

import { notAnswered } from '../../../harness/checks/collection/filter.ts';
import { sameItems } from '../../../harness/checks/collection/walk.ts';
import { opposite } from '../../../harness/checks/collection/order.ts';
import type { WireRecord } from '../../../harness/checks/compute/records.ts';
import type { UniversalJudgement } from '../../../harness/checks/universal.ts';
import { notObserved, together } from '../../../harness/checks/judgement.ts';
import {
  type Collection,
  type Context,
  type Define,
  type Directions,
  type Id,
  type Sorting,
  compare,
  lacking,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import type { Around } from '../../../harness/drivers/collection/comparison.ts';
import { requireItems } from '../../../harness/drivers/collection/whole-list.ts';
import type {
  Listing,
  ListingOptions,
  ListQuery,
} from '../../../harness/drivers/collection/reading.ts';
import { NotExercised } from '../../../harness/runner/case.ts';

interface Asked {
  readonly field: string;
  readonly query?: ListQuery;
  readonly options?: ListingOptions;
  /** The requirement of the default direction, if that is judged too. */
  readonly standard?: Id | undefined;
  /** A direction that was already read. */
  readonly known?: Partial<Directions>;
  /** The requirements that are violated if the server rejects the sort. */
  readonly refused: readonly Id[];
}

/** Compares one sort in both directions with the unsorted list. */
async function bothWays(
  t: Context,
  c: Collection,
  { field, query = {}, options = c.sorting.page, standard, known = {}, refused }: Asked,
  judge: (lists: Directions, around: Around<Listing>) => readonly UniversalJudgement<Id>[],
): Promise<ReadonlySet<Id>> {
  // Filters beside a sort come with the bounds of the part that they select from.
  const part = Object.keys(query).length > 0 ? query : await c.varied(t);
  const read = async (direction: { readonly sort_direction?: 'ASC' | 'DESC' }) =>
    c.read(t, { ...part, sort_field: field, ...direction }, options);
  const byDefault = c.defaultDirection === 'ASC' ? 'up' : 'down';
  return compare(
    t,
    wholeOf(t, c, part, c.sorting.page),
    async () => ({
      up: known.up ?? (await read({ sort_direction: 'ASC' })),
      down: known.down ?? (await read({ sort_direction: 'DESC' })),
      bare: standard === undefined ? undefined : await read({}),
    }),
    (around, { bare, ...lists }) => {
      const refusal = notAnswered(lists.up, field) ?? notAnswered(lists.down, field);
      if (refusal !== undefined) {
        return refused.map((requirement) => ({ requirement, judgement: refusal }));
      }
      if (bare === undefined || standard === undefined) return judge(lists, around);
      const undirected = c.sorting.inOrder(t, field, { ...lists, [byDefault]: bare });
      return [
        ...judge(lists, around),
        { requirement: standard, judgement: notAnswered(bare, field) ?? undirected },
      ];
    },
  );
}

/** Judges that a sorted list has the unsorted list's items. A list that is not read to its end shows only surplus items. */
function keeps(
  t: Context,
  c: Collection,
  field: string,
  { before, after }: Around<Listing>,
  lists: readonly Listing[],
) {
  const isKnown = before.end === 'last-page' && after.end === 'last-page';
  const most = Math.max(before.ids.length, after.ids.length);
  const requirement = `compute.${c.slug}.sort-keeps-items` as const;
  return lists.map((list) => {
    // Sort keys may change between two pages.
    if (list.exchanges.length > 1) {
      return {
        requirement,
        judgement: c.sorting.keepsOverPages(t, field, { before, after }, list),
      };
    }
    const isWhole = isKnown && (list.end === 'last-page' || list.ids.length > most);
    const bracket = { before: before.ids, after: after.ids };
    return { requirement, judgement: isWhole ? sameItems(bracket, list) : notObserved };
  });
}

function keyed(t: Context, c: Collection, { ids, records, exchanges }: Listing, member: string) {
  const keyOf = (one: WireRecord) => c.valueOf(t, one, member);
  return { items: records.map((one, at) => ({ id: ids[at] ?? '', key: keyOf(one) })), exchanges };
}

/** The default direction of the first read, which further queries reuse: they only read the opposite direction. */
function readBefore(c: Collection, first: Directions | undefined): Partial<Directions> {
  if (first === undefined) return {};
  return c.defaultDirection === 'ASC' ? { up: first.up } : { down: first.down };
}

/**
 * Judges the sort by one field, alone and beside queries; `place` is that of the field among all. Returns the requirements
 * of which something was seen.
 */
async function judgeSort(
  t: Context,
  c: Collection,
  place: number,
  { field, id }: Sorting['fields'][number],
  queries: readonly ListQuery[],
): Promise<ReadonlySet<Id>> {
  const standard = `compute.${c.slug}.sort-default-direction` as const;
  const ofReverse = reverseOf(c, field);
  const keyOf = (list: Listing) => keyed(t, c, list, c.sorting.reversed[1]);
  const seen = new Set<Id>();
  // A field without a stated order must have the same order with every filter.
  let whole: Directions | undefined;
  for (const [at, query] of queries.entries()) {
    const first = whole;
    // The default direction is judged for the sort alone and with one other query, a different one for each field.
    const isBare = t.thorough || at === 0 || at === 1 + (place % (queries.length - 1));
    const asked = {
      field,
      query,
      known: t.thorough ? {} : readBefore(c, first),
      standard: isBare ? standard : undefined,
      refused: first ? [id] : [id, ...ofReverse],
    };
    const judged = bothWays(t, c, asked, ({ up, down }, around) => {
      whole ??= { up, down };
      const inOrder = [up, ...(up === whole.up ? [] : [whole.up])].map((one) =>
        c.sorting.inOrder(t, field, { up: one, down }),
      );
      const read = [up, down].filter((list) => list !== first?.up && list !== first?.down);
      return [
        { requirement: id, judgement: together(...inOrder) },
        ...keeps(t, c, field, around, read),
        ...(first ? [] : ofReverse).map((requirement) => ({
          requirement,
          judgement: opposite(keyOf(up), keyOf(down)),
        })),
      ];
    });
    for (const one of await judged) seen.add(one);
  }
  return seen;
}

/** The requirement that both directions of a sort are the reverse of each other, for the field that is judged by it. */
function reverseOf(c: Collection, field: string) {
  return field === c.sorting.reversed[0] ? [`compute.${c.slug}.sort-reverse` as const] : [];
}

export function sorts(test: Define, c: Collection): void {
  const kept = `compute.${c.slug}.sort-keeps-items` as const;
  const standard = `compute.${c.slug}.sort-default-direction` as const;

  for (const [place, sort] of c.sorting.fields.entries()) {
    const { field, id } = sort;
    const judges = [id, kept, standard, ...reverseOf(c, field)] as const;
    test(
      `a sort by ${field} is in order in both directions, also beside filters`,
      { judges },
      async (t) => {
        const whole = wholeOf(t, c, await c.varied(t), c.sorting.page);
        const { records } = await requireItems(whole, 2, c.what);
        const queries = t.some([{}, ...(await c.sorting.beside(t, records, field))], 1, 4);
        const seen = await judgeSort(t, c, place, sort, queries);
        const lack = `no two ${c.what} differ by ${field}, or they changed each time`;
        lacking(t, judges, seen, lack);
      },
    );
  }

  // If records show the sort key of every field, the cases above judge this.
  const { isShown } = c.sorting;
  if (isShown === undefined) return;
  test('a sort neither adds nor drops items', { judges: [kept] }, async (t) => {
    const { end } = await requireItems(wholeOf(t, c, await c.varied(t), c.sorting.page), 2, c.what);
    if (end !== 'last-page') throw new NotExercised('no page shows the whole of a list');
    const unshown = c.sorting.fields.filter(({ field }) => !isShown(t, field));
    if (unshown.length === 0) throw new NotExercised('each sort is judged where it is in order');
    for (const { field } of unshown) {
      const judge = ({ up, down }: Directions, around: Around<Listing>) =>
        keeps(t, c, field, around, [up, down]);
      await bothWays(t, c, { field, options: {}, refused: [kept] }, judge);
    }
  });
}

/** Sorts over several pages. */
export function sortsOnLaterPages(test: Define, c: Collection): void {
  const holds = `compute.${c.paging}.sort-on-later-pages` as const;
  const kept = `compute.${c.slug}.sort-keeps-items` as const;
  for (const { field, pages } of c.sorting.fields) {
    test(
      `a sort by ${field} holds on the second page and after, and keeps its items`,
      { judges: [holds, kept] },
      async (t) => {
        if (c.sorting.isShown?.(t, field) === false)
          throw new NotExercised(`no binding tells ${field}`);
        const whole = wholeOf(t, c, await c.varied(t), c.sorting.page);
        const { ids } = await requireItems(whole, 2, c.what);
        const size = Math.min(200, Math.ceil(ids.length / pages));
        // Repeated items would push the last items to one more page.
        const seen = await bothWays(
          t,
          c,
          { field, options: { size, mostPages: pages + 1 }, refused: [holds] },
          (lists, around) => [
            { requirement: holds, judgement: c.sorting.inOrderOverPages(t, field, lists, around) },
            ...[lists.up, lists.down].map((list) => ({
              requirement: kept,
              judgement: c.sorting.keepsOverPages(t, field, around, list),
            })),
          ],
        );
        const lack = `no two ${c.what} differ by ${field} and stay so`;
        lacking(t, [holds, kept], seen, lack);
      },
    );
  }
}
