/** Walks: by pages of any size the same items in the same order, once each, to an end. */

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
import type {
  Listing,
  ListingOptions,
  ListQuery,
} from '../../../harness/drivers/collection/reading.ts';
import {
  type Around,
  requireItems,
  type WholeList,
} from '../../../harness/drivers/collection/whole-list.ts';
import { judgeOrLack } from '../../../harness/runner/case.ts';
import { retry } from '../../../harness/runner/retry.ts';
import { servedSize } from '../../../harness/generate/lists.ts';

/** Lists that are walked by sizes that they fill exactly, and how many sizes of each. */
const EXACT_LISTS = 3;
const EXACT_SIZES = 3;
const MAX_EXACT_PAGES = 8;
/** Pages of the smallest size, but in a thorough run. */
const USUAL_PAGES = 12;

/** A walk, and whether its order differs from that of the whole list only where items are of one instant. */
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

/** What a walk says of all that is judged of walks; of the order only where a requirement is named. */
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
  // Items of one instant may change places between two reads of a list that stands still.
  const still = { before: bracket.before.toSorted(), after: bracket.after.toSorted() };
  const { repeats, gaps, ends } = c.walks;
  return [
    ...(order === undefined ? [] : [{ requirement: order, judgement: broken ?? same }]),
    { requirement: repeats, judgement: withoutRepeats(still, walk) },
    ...(gaps === undefined ? [] : [{ requirement: gaps, judgement: withoutGaps(still, walk) }]),
    ...(size === 'default'
      ? []
      : pagesOfWalk(walked.exchanges, size, (page) => c.itemsIn(t, page))),
    // A cursor that was issued a moment ago is no good.
    ...(ends === undefined
      ? []
      : [{ requirement: ends, judgement: broken ?? walkEnds(walked, around) }]),
  ];
}

/** Walks by fixed sizes, by any, and by sizes that a list fills exactly. */
export function walks(test: Define, c: Collection): void {
  const { sizes, anyOrder, repeats, gaps, ends, weight, exactly } = c.walks;
  const judges: readonly [Id, ...Id[]] = [
    repeats,
    ...[anyOrder, gaps, ends].filter((id) => id !== undefined),
  ];

  for (const [id, size, mostPages] of sizes) {
    test(`a walk of size ${size} gives the list`, { judges: [id] }, async (t) => {
      // Small pages walk over what a page shows whole: to its end, on large accounts too.
      const part = typeof size === 'number' && size < 100 ? await c.part(t) : {};
      // Every list is read by 200 otherwise: pages of 200 are held against others, or nothing could be wrong with them.
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
    // From a tenth of the list on: few pages, and at least two of them most of the time.
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
      // On a list that grows, the page after the last one may have something after all.
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
