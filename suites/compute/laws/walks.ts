/** Laws of walks: with any page size, a walk gives the same items in the same order, once each, and ends. */

import { lastPageIsNull, pagesOfWalk } from '../../../harness/checks/collection/bounds.ts';
import { inReach, walkEnds } from '../../../harness/checks/collection/bracket.ts';
import { exactSizes } from '../../../harness/checks/collection/chosen-values.ts';
import { notAnswered } from '../../../harness/checks/collection/filter.ts';
import {
  sameItems,
  sameSequence,
  withoutGaps,
  withoutRepeats,
} from '../../../harness/checks/collection/walk.ts';
import type { UniversalJudgement } from '../../../harness/checks/universal.ts';
import {
  type Collection,
  type Context,
  type Define,
  type Id,
  compare,
  compareOne,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import type { Around } from '../../../harness/drivers/collection/comparison.ts';
import type {
  Listing,
  ListingOptions,
  ListQuery,
} from '../../../harness/drivers/collection/reading.ts';
import { requireItems, type WholeList } from '../../../harness/drivers/collection/whole-list.ts';
import { judgeOrLack } from '../../../harness/runner/case.ts';
import { retry } from '../../../harness/runner/retry.ts';
import { servedSize } from '../../../harness/generate/lists.ts';

/** Number of lists to walk with page sizes that divide their length, and number of such sizes for each. */
const EXACT_LISTS = 3;
const EXACT_SIZES = 3;
const MAX_EXACT_PAGES = 8;
/** The most pages of a walk, except in a thorough run. */
const USUAL_PAGES = 12;

/** A walk, and whether its order differs from the whole list only among items created at the same instant. */
interface Walked {
  readonly walked: Listing;
  readonly isTied: boolean;
}

async function walkOver(
  t: Context,
  c: Collection,
  whole: WholeList,
  query: ListQuery,
  options: ListingOptions,
): Promise<Walked> {
  const { ids } = await whole.known();
  const walked = await c.read(t, query, options);
  return { walked, isTied: await c.isTied(t, ids, walked.ids) };
}

/** Judges a walk by all requirements of walks, and by the order if `order` names its requirement. */
function judgeWalk(
  t: Context,
  c: Collection,
  order: Id | undefined,
  around: Around<Listing>,
  { walked, isTied }: Walked,
  size: number | 'default',
): readonly UniversalJudgement<Id>[] {
  const { bracket, walk } = inReach(around, walked);
  const broken = notAnswered(walked, `size=${size}`);
  const same = isTied ? sameItems(bracket, walk) : sameSequence(bracket, walk);
  // Items created at the same instant may swap between two reads of an unchanged list.
  const still = { before: bracket.before.toSorted(), after: bracket.after.toSorted() };
  const { repeats, gaps, ends } = c.walks;
  return [
    ...(order === undefined ? [] : [{ requirement: order, judgement: broken ?? same }]),
    { requirement: repeats, judgement: withoutRepeats(still, walk) },
    ...(gaps === undefined ? [] : [{ requirement: gaps, judgement: withoutGaps(still, walk) }]),
    ...(size === 'default'
      ? []
      : pagesOfWalk(walked.exchanges, size, (page) => c.itemsIn(t, page))),
    // A broken walk means that the server rejected a cursor that it had just issued.
    ...(ends === undefined
      ? []
      : [{ requirement: ends, judgement: broken ?? walkEnds(walked, around) }]),
  ];
}

/** Walks with fixed page sizes, with arbitrary ones, and with sizes that divide the length of the list. */
export function walks(test: Define, c: Collection): void {
  const { sizes, anyOrder, repeats, gaps, ends, weight, exactly } = c.walks;
  const judges: readonly [Id, ...Id[]] = [
    repeats,
    ...[anyOrder, gaps, ends].filter((id) => id !== undefined),
  ];

  for (const [id, size, mostPages] of sizes) {
    test(`a walk of size ${size} gives the list`, { judges: [id] }, async (t) => {
      // Small pages walk only over a part that one page can show, so that the walk ends on large accounts too.
      const part = typeof size === 'number' && size < 100 ? await c.part(t) : {};
      // Whole lists are usually read with size 200, so a walk of size 200 is compared with one of another size.
      const whole = wholeOf(t, c, part, size === 200 ? { size: 150 } : {});
      await requireItems(whole, 2, c.what);
      await compare(
        t,
        whole,
        async () =>
          walkOver(t, c, whole, part, {
            size,
            mostPages: t.thorough ? mostPages : Math.min(mostPages, USUAL_PAGES),
          }),
        (around, walked) => judgeWalk(t, c, id, around, walked, size),
      );
    });
  }

  test('walks of any size are alike, and end', { judges }, async (t) => {
    const part = await c.part(t);
    const whole = wholeOf(t, c, part);
    const { ids } = await requireItems(whole, 2, c.what);
    // At least a tenth of the list: few pages, but usually at least two.
    const generated = servedSize({
      minimum: Math.min(200, Math.ceil(ids.length / 10)),
      maximum: Math.min(200, ids.length),
    });
    await t.property(
      `walks over ${c.what}`,
      generated,
      async (size, judge) => {
        await compareOne(
          { judge },
          whole,
          async () => walkOver(t, c, whole, part, { size, mostPages: 12 }),
          (around, walked) => judgeWalk(t, c, anyOrder, around, walked, size),
        );
      },
      { weight },
    );
  });

  test(
    'a list that fills its pages exactly is given to its last item, and ends',
    { judges },
    async (t) => {
      let tried = 0;
      for (const query of await exactly(t)) {
        const whole = wholeOf(t, c, query);
        const { ids } = await whole.known();
        const fitting = exactSizes(ids.length, MAX_EXACT_PAGES).slice(0, EXACT_SIZES);
        for (const size of fitting) {
          await compareOne(
            t,
            whole,
            async () => walkOver(t, c, whole, query, { size, mostPages: MAX_EXACT_PAGES + 1 }),
            (around, walked) => judgeWalk(t, c, anyOrder, around, walked, size),
          );
        }
        if (fitting.length > 1) tried += 1;
        if (tried >= (t.thorough ? EXACT_LISTS : 2)) return;
      }
    },
  );

  const last = `compute.${c.paging}.last-page-null` as const;
  test(
    'a list that fits into one page with room to spare has no next page',
    { judges: [last] },
    async (t) => {
      const query = { ...(await c.part(t)), size: 200 };
      const paged = {
        operation: c.slug,
        itemsIn: (page: Parameters<typeof c.itemsIn>[1]) => c.itemsIn(t, page),
      };
      // If the list grows, the page after the last one may have items.
      const judged = async () => {
        const page = await t.api[c.call](query);
        const { next } = lastPageIsNull(page, undefined, paged);
        const following =
          next === undefined ? undefined : await t.api[c.call]({ ...query, cursor: next });
        return { next, judgement: lastPageIsNull(page, following, paged).judgement };
      };
      const { judgement } = await retry(
        t,
        'twiceMore',
        judged,
        (tried) => tried.judgement.seen > 0 || tried.next === undefined,
      );
      judgeOrLack(
        t,
        last,
        judgement,
        `there are no ${c.what}, or more than fit into a page of 200`,
      );
    },
  );
}
