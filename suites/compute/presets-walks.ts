/** GET /presets: walks, and filters on later pages. */

import { regionCodes } from '../../schemas/compute/regions.ts';
import { comesRound, inReach } from '../../harness/checks/collection/bracket.ts';
import {
  contentOf,
  lastPageIsNull,
  nextCursor,
  pagesOfWalk,
} from '../../harness/checks/collection/bounds.ts';
import { selectsPresets } from '../../harness/checks/compute/preset-filter.ts';
import { presetsOf, presetValue } from '../../harness/checks/compute/presets.ts';
import { notAnswered } from '../../harness/checks/collection/filter.ts';
import { sameItems, sameSequence, withoutRepeats } from '../../harness/checks/collection/walk.ts';
import { PAGES_TO_THE_END, tellingPages } from '../../harness/checks/collection/chosen-values.ts';
import { servedSize } from '../../harness/generate/lists.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  having,
  tell,
  type WholeList,
  wholePresets,
} from '../../harness/drivers/collection/whole-list.ts';
import {
  type Listing,
  readPresetList,
  walk,
  withCursor,
} from '../../harness/drivers/collection/reading.ts';
import { judgeFilter } from '../../harness/drivers/compute/preset-filters.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/case.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** Sizes of walks with the pages that are turned at most. */
const walks = [
  [1, 80],
  [7, 40],
  [199, 5],
  ['default', 20],
] as const;

/** Pages of a filtered list that are judged beyond the first. */
const LATER_PAGES = 4;

/** A SKU filter and a search over several pages give what they give on one. */
async function judgeNamed(t: ComputeContext, presets: Listing['records']): Promise<void> {
  const { sku, freeText } = t.bindings.presets?.filters ?? {};
  const names = presets.flatMap((preset) => {
    const name = presetValue(preset, 'sku', t.bindings);
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
  // One that has several offers, and is not all there is.
  const name = names.find((one, index) => names.indexOf(one) !== index);
  if (name === undefined) return;
  for (const parameter of [sku, freeText].filter((one) => one !== undefined)) {
    const found = wholePresets(t, { [parameter]: name });
    const { ids } = await found.known();
    if (ids.length < 2 || ids.length === presets.length) continue;
    const options = { size: Math.min(200, Math.ceil(ids.length / 3)), mostPages: 5 };
    const verdicts = await found.against(
      async () => readPresetList(t.api, t.bindings, { [parameter]: name }, options),
      (around, walked) => {
        const { bracket, walk: reached } = inReach(around, walked);
        return [
          {
            requirement: 'compute.presets.filter-on-later-pages' as const,
            judgement: notAnswered(walked, `${parameter}=${name}`) ?? sameItems(bracket, reached),
          },
        ];
      },
    );
    tell(t, verdicts);
  }
}

/** A region filter beside a sort gives over several pages what it means. */
async function judgeSorted(t: ComputeContext, region: string, size: number): Promise<void> {
  await judgeFilter(
    t,
    'compute.presets.filter-on-later-pages',
    { region },
    (preset) => presetValue(preset, 'region', t.bindings) === region,
    { sort_field: 'HOURLY_PRICE' },
    { size, mostPages: LATER_PAGES + PAGES_TO_THE_END },
  );
}

/** A walk over all presets gives them in the order in which pages of 200 give them. */
async function judgeWalk(
  whole: WholeList,
  t: ComputeContext,
  size: number | 'default',
  mostPages: number,
) {
  return whole.againstOne(
    async () => readPresetList(t.api, t.bindings, {}, { size, mostPages }),
    (around, walked) => {
      const { bracket, walk: reached } = inReach(around, walked);
      return [
        {
          requirement: 'compute.presets.walks-agree' as const,
          judgement: notAnswered(walked, `size=${size}`) ?? sameSequence(bracket, reached),
        },
        {
          requirement: 'compute.presets.walk-without-repeats' as const,
          judgement: withoutRepeats(bracket, reached),
        },
        ...(size === 'default'
          ? []
          : pagesOfWalk(walked.exchanges, size, (page) => presetsOf(page, t.bindings))),
      ];
    },
  );
}

export default computeSection('presets', (test) => {
  test(
    'walks of any size give the same presets in the same order',
    {
      judges: ['compute.presets.walks-agree', 'compute.presets.walk-without-repeats'],
      requests: 50,
    },
    async (t) => {
      const whole = wholePresets(t);
      const { ids } = await having(whole, 2, 'presets');
      // Pages that the list fills exactly: the last one is followed by nothing, or by an empty one.
      const exact = [1, 2, 3]
        .filter((pages) => ids.length % pages === 0 && ids.length / pages <= 200)
        .map((pages) => [ids.length / pages, 6] as const);
      for (const [size, mostPages] of [...walks, ...exact]) {
        tell(t, await judgeWalk(whole, t, size, mostPages));
      }
    },
  );

  test(
    'walks over presets by sizes that nobody chose give the same',
    {
      judges: ['compute.presets.walks-agree', 'compute.presets.walk-without-repeats'],
      requests: 12,
    },
    async (t) => {
      const whole = wholePresets(t);
      const { ids } = await having(whole, 2, 'presets');
      // From a tenth of the list on: few pages, and at least two of them most of the time.
      const sizes = servedSize({
        minimum: Math.min(200, Math.ceil(ids.length / 10)),
        maximum: Math.min(200, ids.length),
      });
      await t.property(
        'walks over presets',
        sizes,
        async (size, judge) => tell({ judge }, await judgeWalk(whole, t, size, 12)),
        { weight: 0.1 },
      );
    },
  );

  test(
    'a walk over the presets ends',
    { judges: ['compute.presets.walk-ends'], requests: 10 },
    async (t) => {
      for (const [size, mostPages] of [
        [200, 20],
        [25, 20],
      ] as const) {
        const walked = await walk({
          page: async (cursor) => t.api.presets(withCursor({ size }, cursor)),
          // The cursors alone: which list holds the presets need not be known.
          items: (exchange) => (nextCursor(exchange) === undefined ? undefined : []),
          mostPages,
        });
        const pages = walked.pages.map((page) => contentOf(page));
        t.judge(
          'compute.presets.walk-ends',
          comesRound({ ids: [], exchanges: walked.pages, end: walked.end }, pages),
        );
      }
    },
  );

  test(
    'a preset list that fits into one page with room to spare has no next page',
    { judges: ['compute.presets.last-page-null'], requests: 1 },
    async (t) => {
      const presets = {
        operation: 'presets' as const,
        itemsIn: (page: Exchange) => presetsOf(page, t.bindings),
      };
      const page = await t.api.presets({ size: 200 });
      const { next } = lastPageIsNull(page, undefined, presets);
      const following =
        next === undefined ? undefined : await t.api.presets({ size: 200, cursor: next });
      judgeOrLack(
        t,
        'compute.presets.last-page-null',
        lastPageIsNull(page, following, presets).judgement,
        'there are no presets, or more than fit into a page of 200',
      );
    },
  );

  test(
    'a preset filter holds on the second page and after',
    { judges: ['compute.presets.filter-on-later-pages'], requests: 27 },
    async (t) => {
      const whole = wholePresets(t);
      const { records } = await having(whole, 2, 'presets');
      const inRegion = (preset: (typeof records)[number], region: string): boolean =>
        presetValue(preset, 'region', t.bindings) === region;
      const [best] = regionCodes
        .flatMap((region) => {
          const selected = records.map((preset) => inRegion(preset, region));
          const pages = tellingPages(selected, LATER_PAGES);
          return pages === undefined ? [] : [{ region, ...pages }];
        })
        .toSorted((one, other) => other.telling - one.telling);
      if (best === undefined) {
        throw new NotExercised(
          'no region fills two pages of presets that differ from those of the whole list',
        );
      }
      const { region, size } = best;
      const verdicts = await whole.against(
        async () =>
          readPresetList(t.api, t.bindings, { region }, { size, mostPages: LATER_PAGES + 1 }),
        (around, part) => [
          {
            requirement: 'compute.presets.filter-on-later-pages' as const,
            judgement: selectsPresets({
              ...around,
              part,
              matches: (preset) => inRegion(preset, region),
              filter: `region=${region} over ${part.exchanges.length} pages`,
            }),
          },
        ],
      );
      tell(t, verdicts);
      await judgeSorted(t, region, size);
      await judgeNamed(t, records);
    },
  );
});
