/** Paging, told on the instance list: every walk gives the same sequence and comes to an end. */

import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import { distinctTexts, exactSizes } from '../../harness/checks/collection/chosen-values.ts';
import { boundedSubset, differsByTies, instant } from '../../harness/drivers/collection/dating.ts';
import { inReach, walkEnds } from '../../harness/checks/collection/bracket.ts';
import {
  nothingForeign,
  sameItems,
  sameSequence,
  withoutGaps,
  withoutRepeats,
} from '../../harness/checks/collection/walk.ts';
import { notAnswered } from '../../harness/checks/collection/filter.ts';
import { lastPageIsNull, nextCursor, pagesOfWalk } from '../../harness/checks/collection/bounds.ts';
import { itemsOf } from '../../harness/checks/compute/records.ts';
import type { UniversalJudgement } from '../../harness/checks/universal.ts';
import { servedSize } from '../../harness/generate/lists.ts';
import {
  type Around,
  having,
  tell,
  wholeInstances,
  type WholeList,
} from '../../harness/drivers/collection/whole-list.ts';
import {
  type Listing,
  type ListingOptions,
  type ListQuery,
  readInstances,
} from '../../harness/drivers/collection/reading.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { compare, wholeOf } from '../../harness/drivers/collection/collection.ts';
import { instances } from './collections.ts';
import { GARBAGE, cursors } from './laws/bounds.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** Sizes of walks with the pages that are turned at most: a large account is walked in part. */
const walks = [
  ['walk-size-1', 1, 220],
  ['walk-prime', 7, 35],
  ['walk-199', 199, 5],
  ['walk-200', 200, 5],
  ['walk-default', 'default', 17],
] as const;

/** Lists that are walked by sizes that they fill exactly, and how many sizes of each. */
const EXACT_LISTS = 4;
const EXACT_SIZES = 3;
const MAX_EXACT_PAGES = 12;

/** A walk, and whether its order differs from that of the whole list only where instances are of one instant. */
interface Walked {
  readonly walked: Listing;
  readonly isTied: boolean;
}

async function walkOver(
  t: ComputeContext,
  whole: WholeList,
  query: ListQuery,
  options: ListingOptions,
): Promise<Walked> {
  const { ids } = await whole.known();
  const walked = await readInstances(t.api, query, options);
  return { walked, isTied: await differsByTies(t.api, ids, walked.ids) };
}

function judgeWalk<Id extends ComputeRequirementId>(
  id: Id | undefined,
  whole: Around<Listing>,
  { walked, isTied }: Walked,
  size: number | 'default',
): readonly UniversalJudgement<
  | Id
  | 'compute.pagination.size-echo'
  | 'compute.pagination.page-within-size'
  | 'compute.pagination.walk-without-repeats'
  | 'compute.pagination.walk-without-gaps'
  | 'compute.pagination.walk-ends'
>[] {
  const { bracket, walk } = inReach(whole, walked);
  const same = isTied ? sameItems(bracket, walk) : sameSequence(bracket, walk);
  // Instances of one instant may change places between two reads of a list that stands still.
  const still = { before: bracket.before.toSorted(), after: bracket.after.toSorted() };
  return [
    ...(id === undefined ? [] : [{ requirement: id, judgement: same }]),
    {
      requirement: 'compute.pagination.walk-without-repeats',
      judgement: withoutRepeats(still, walk),
    },
    { requirement: 'compute.pagination.walk-without-gaps', judgement: withoutGaps(still, walk) },
    ...(size === 'default' ? [] : pagesOfWalk(walked.exchanges, size, itemsOf)),
    {
      requirement: 'compute.pagination.walk-ends',
      // A cursor that was issued a moment ago is no good.
      judgement: notAnswered(walked, 'of a walk') ?? walkEnds(walked, whole),
    },
  ];
}

export default computeSection('pagination', (test) => {
  for (const [slug, size, mostPages] of walks) {
    const id = `compute.pagination.${slug}` as const;
    test(
      `a walk of size ${size} gives the list`,
      { judges: [id], requests: Math.min(100, mostPages) },
      async (t) => {
        // Small pages walk over what a page shows whole: to its end, on large accounts too.
        const part = typeof size === 'number' && size < 100 ? await boundedSubset(t) : {};
        // Every list is read by 200 otherwise: pages of 200 are held against others, or nothing could be wrong with them.
        const whole = wholeInstances(t, part, size === 200 ? { size: 150 } : {});
        await having(whole, 2, 'instances');
        const verdicts = await whole.against(
          async () => walkOver(t, whole, part, { size, mostPages }),
          (around, walked) => judgeWalk(id, around, walked, size),
        );
        tell(t, verdicts);
      },
    );
  }

  test(
    'walks of any size have no repeats and no gaps, and end',
    {
      judges: [
        'compute.pagination.walk-without-repeats',
        'compute.pagination.walk-without-gaps',
        'compute.pagination.walk-ends',
      ],
      requests: 20,
    },
    async (t) => {
      const part = await boundedSubset(t);
      const whole = wholeInstances(t, part);
      const { ids } = await having(whole, 2, 'instances');
      // From a tenth of the list on: few pages, and at least two of them most of the time.
      const sizes = servedSize({
        minimum: Math.min(200, Math.ceil(ids.length / 10)),
        maximum: Math.min(200, ids.length),
      });
      await t.property(
        'walks',
        sizes,
        async (size, judge) => {
          const verdicts = await whole.againstOne(
            async () => walkOver(t, whole, part, { size, mostPages: 12 }),
            (around, walked) => judgeWalk<never>(undefined, around, walked, size),
          );
          tell({ judge }, verdicts);
        },
        { weight: 0.25 },
      );
    },
  );

  test(
    'a list that fills its pages exactly is given to its last instance, and ends',
    {
      judges: [
        'compute.pagination.walk-without-repeats',
        'compute.pagination.walk-without-gaps',
        'compute.pagination.walk-ends',
      ],
      requests: 50,
    },
    async (t) => {
      const all = await boundedSubset(t);
      // What is made from now on is outside: the list is to keep its length while it is walked.
      const until = { ...all, date_range_end: instant(Date.now()) };
      const { records } = await having(wholeInstances(t, until), 2, 'instances');
      const models = distinctTexts(records, 'gpu_type').map((gpu_type) => ({ ...until, gpu_type }));
      let tried = 0;
      for (const query of [all, until, ...models]) {
        const whole = wholeInstances(t, query);
        const { ids } = await whole.known();
        const sizes = exactSizes(ids.length, MAX_EXACT_PAGES).slice(0, EXACT_SIZES);
        for (const size of sizes) {
          const verdicts = await whole.againstOne(
            async () => walkOver(t, whole, query, { size, mostPages: MAX_EXACT_PAGES + 1 }),
            (around, walked) => judgeWalk<never>(undefined, around, walked, size),
          );
          tell(t, verdicts);
        }
        if (sizes.length > 1) tried += 1;
        if (tried >= EXACT_LISTS) return;
      }
    },
  );

  test(
    'a list that fits into one page with room to spare has no next page',
    { judges: ['compute.pagination.last-page-null'], requests: 3 },
    async (t) => {
      const query = await boundedSubset(t);
      await having(wholeInstances(t, query, { mostPages: 1 }), 1, 'instances');
      // On an account that grows, the page after the last one may have something after all.
      for (let tried = 0; tried < 3; tried += 1) {
        const page = await t.api.list({ ...query, size: 200 });
        const { next } = lastPageIsNull(page, undefined);
        const following =
          next === undefined ? undefined : await t.api.list({ ...query, size: 200, cursor: next });
        const { judgement } = lastPageIsNull(page, following);
        t.judge('compute.pagination.last-page-null', judgement);
        if (judgement.seen > 0) return;
      }
    },
  );

  cursors(test, instances);

  test(
    'a cursor that nobody issued never gives instances of somebody else',
    { judges: ['compute.pagination.garbage-cursor-gives-nothing'], requests: 4 },
    async (t) => {
      const foreign =
        t.target.keys.second === undefined
          ? undefined
          : await instances.read(t, {}, { as: 'second', mostPages: 2 });
      await compare(
        t,
        wholeOf(t, instances),
        async () => t.api.list({ cursor: GARBAGE, size: 200 }),
        (around, answer) => [
          {
            requirement: 'compute.pagination.garbage-cursor-gives-nothing',
            judgement: nothingForeign(around, answer, foreign?.ids ?? []),
          },
        ],
      );
    },
  );

  test(
    'what a cursor does beside other filters is recorded',
    { judges: ['compute.pagination.cursor-with-other-filters'], requests: 3 },
    async (t) => {
      const cursor = nextCursor(await t.api.list({ size: 1 }));
      if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
      const answer = await t.api.list({ size: 1, cursor, region: 'FR' });
      t.record(
        'compute.pagination.cursor-with-other-filters',
        `a cursor of the whole list, with region=FR: ${answer.response?.status}`,
        answer,
      );
    },
  );

  test(
    'how a list ends that fills its pages exactly, and what a short page says, is recorded',
    {
      judges: ['compute.pagination.empty-last-page', 'compute.pagination.short-page-size'],
      requests: 3,
    },
    async (t) => {
      const query = await boundedSubset(t);
      const { ids } = await having(wholeInstances(t, query, { mostPages: 1 }), 1, 'instances');
      if (ids.length === 200) {
        throw new NotExercised('the account has more than a page of instances');
      }
      const exact = await readInstances(t.api, query, { size: ids.length, mostPages: 2 });
      t.record(
        'compute.pagination.empty-last-page',
        `${ids.length} items by pages of ${ids.length}: ${exact.exchanges.length} pages`,
        exact.exchanges.at(-1),
      );
      const short = await t.api.list({ ...query, size: 200 });
      t.record(
        'compute.pagination.short-page-size',
        `${ids.length} items on a page of 200: size ${lastPageIsNull(short, undefined).size}`,
        short,
      );
    },
  );
});
