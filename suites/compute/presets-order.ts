/** GET /presets: the default order, and sorts. */

import { freeTextLength } from '../../schemas/compute/list-instances.ts';
import { presetSortFields } from '../../schemas/compute/presets.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import { inReach } from '../../harness/checks/compute/extent.ts';
import { presetValue } from '../../harness/checks/compute/presets.ts';
import { notAnswered } from '../../harness/checks/compute/selection.ts';
import { sameItems, sameSequence } from '../../harness/checks/compute/sequence.ts';
import {
  type PresetSort,
  presetsBy,
  presetsInOrder,
} from '../../harness/checks/compute/preset-sorts.ts';
import { opposite } from '../../harness/checks/compute/sorting.ts';
import { isSameSequence } from '../../harness/checks/compute/bracket.ts';
import { type Judgement, notObserved } from '../../harness/checks/judgement.ts';
import {
  type Listing,
  type ListQuery,
  readPresetList,
} from '../../harness/drivers/compute/listing.ts';
import { distinct, textIn } from '../../harness/drivers/compute/preset-filters.ts';
import { inOneOrder } from '../../harness/drivers/compute/preset-order.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import type { Around, WholeList } from '../../harness/drivers/compute/against.ts';
import { having, tell, wholePresets } from '../../harness/drivers/compute/whole-lists.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const sorts = [
  ['sort-region', 'REGION'],
  ['sort-location', 'LOCATION'],
  ['sort-gpu', 'GPU'],
  ['sort-cpu', 'CPU'],
  ['sort-memory', 'MEMORY'],
  ['sort-storage', 'STORAGE'],
  ['sort-hourly-price', 'HOURLY_PRICE'],
  ['sort-id', 'ID'],
] as const;

const KEEPS_ITEMS = 'compute.presets.sort-keeps-items' as const;
/** Pages of a sorted walk: enough for presets that are alike to stand on both sides of a boundary. */
const SORTED_PAGES = 5;

async function readSorted(t: ComputeContext, sort_field: string, sort_direction?: string) {
  return readPresetList(t.api, t.bindings, { sort_field, sort_direction });
}

/** Filters that several presets pass each: a region, a search for a GPU model, and a SKU name. */
function besideSorts(t: ComputeContext, presets: Listing['records']): readonly ListQuery[] {
  const { sku, freeText } = t.bindings.presets?.filters ?? {};
  const region = mostOffered(t, presets);
  const filters = [
    ['region', region],
    [freeText, mostShown(t, presets, 'gpu')?.slice(0, freeTextLength)],
    [sku, mostShown(t, presets, 'sku')],
  ] as const;
  return filters.flatMap(([name, value]) =>
    name === undefined || value === undefined ? [] : [{ [name]: value }],
  );
}

/** The text of a field that most presets share. */
function mostShown(
  t: ComputeContext,
  presets: Listing['records'],
  field: 'gpu' | 'sku',
): string | undefined {
  const shown = (text: string) =>
    presets.filter((preset) => textIn(t, preset, field) === text).length;
  const [most] = distinct(t, presets, field).toSorted((one, other) => shown(other) - shown(one));
  return most !== undefined && shown(most) > 1 ? most : undefined;
}

/** Both directions of a sort over several pages, and beside filters. */
async function judgeFurther(
  t: ComputeContext,
  whole: WholeList,
  [own, sort_field]: (typeof sorts)[number],
): Promise<void> {
  const { records, ids } = await whole.known();
  const pages = {
    size: Math.min(200, Math.ceil(ids.length / SORTED_PAGES)),
    mostPages: SORTED_PAGES + 1,
  };
  const filtered = besideSorts(t, records).map((query) => [query, {}] as const);
  const id = `compute.presets.${own}` as const;
  let besideFilters = 0;
  for (const [query, options] of [[{}, pages] as const, ...filtered]) {
    const isWhole = options === pages;
    const read = async (sort_direction: 'ASC' | 'DESC') =>
      readPresetList(t.api, t.bindings, { ...query, sort_field, sort_direction }, options);
    const verdicts = await whole.against(
      async () => ({ up: await read('ASC'), down: await read('DESC') }),
      ({ before, after }, { up, down }) => [
        {
          requirement: isWhole ? ('compute.presets.sort-on-later-pages' as const) : id,
          judgement:
            notAnswered(up, sort_field) ??
            notAnswered(down, sort_field) ??
            // Prices that move from one page to the next tell nothing of an order over both.
            (isSameSequence(before.ids, after.ids) ? undefined : notObserved) ??
            presetsInOrder(
              sort_field,
              [
                ['ASC', up],
                ['DESC', down],
              ],
              t.bindings,
            ),
        },
        ...(isWhole ? keeps({ before, after }, [up, down]) : []),
      ],
    );
    tell(t, verdicts);
    for (const { requirement, judgement } of verdicts) {
      if (requirement === id) besideFilters += judgement.seen;
    }
  }
  if (besideFilters === 0) {
    t.notExercised(
      id,
      `no filter leaves presets that differ by ${sort_field} and stay as they are`,
    );
  }
}

/** The region in which most presets are offered. */
function mostOffered(t: ComputeContext, presets: Listing['records']): string | undefined {
  const offers = (code: string) =>
    presets.filter((preset) => presetValue(preset, 'region', t.bindings) === code).length;
  const [most] = regionCodes.toSorted((one, other) => offers(other) - offers(one));
  return most !== undefined && offers(most) > 1 ? most : undefined;
}

/**
 * Sorted lists have the items of the whole list. One that was not read to its end says nothing, unless it went on beyond what
 * there is.
 */
function keeps({ before, after }: Around<Listing>, lists: readonly Listing[]) {
  const isKnown = before.end === 'last-page' && after.end === 'last-page';
  const most = Math.max(before.ids.length, after.ids.length);
  return lists.map((list) => {
    const tells = isKnown && (list.end === 'last-page' || list.ids.length > most);
    const bracket = { before: before.ids, after: after.ids };
    return { requirement: KEEPS_ITEMS, judgement: tells ? sameItems(bracket, list) : notObserved };
  });
}

/** Judges both directions of one sort; says so where no two presets differ in the field. */
async function judgeSort(
  t: ComputeContext,
  id: ComputeRequirementId,
  sortField: PresetSort,
  judge: (up: Listing, down: Listing) => Judgement,
): Promise<void> {
  const whole = wholePresets(t);
  const verdicts = await whole.against(
    async () => ({
      up: await readSorted(t, sortField, 'ASC'),
      down: await readSorted(t, sortField, 'DESC'),
    }),
    (around, { up, down }) => {
      const refused = notAnswered(up, sortField) ?? notAnswered(down, sortField);
      const judgement = refused ?? judge(up, down);
      const kept = refused === undefined ? keeps(around, [up, down]) : [];
      return [{ requirement: id, judgement }, ...kept];
    },
  );
  tell(t, verdicts);
  const kept = verdicts.filter(({ requirement }) => requirement === KEEPS_ITEMS);
  if (kept.every(({ judgement }) => judgement.seen === 0)) {
    const { ids } = await whole.known();
    t.notExercised(
      KEEPS_ITEMS,
      ids.length === 0
        ? 'the primary key sees no presets'
        : 'no read of the presets was whole, or they changed each time',
    );
  }
  const own = verdicts.filter(({ requirement }) => requirement === id);
  if (own.every(({ judgement }) => judgement.seen === 0)) {
    t.notExercised(id, `no two presets differ by ${sortField} in a way that can be compared`);
  }
}

/** How many reads leave together, one group after the other: what turns by turns may keep step with another case. */
const GROUPS = [1, 1, 3, 1, 2];

export default computeSection('presets', (test) => {
  test(
    'preset sorts hold on the second page, and beside filters',
    {
      judges: [
        'compute.presets.sort-on-later-pages',
        KEEPS_ITEMS,
        ...sorts.map(([slug]) => `compute.presets.${slug}` as const),
      ],
      requests: 133,
    },
    async (t) => {
      const whole = wholePresets(t);
      await having(whole, 2, 'presets');
      const told = sorts.filter(
        ([, sort]) => t.bindings.presets?.fields?.[presetSortFields[sort]] !== undefined,
      );
      await Promise.all(told.map(async (sort) => judgeFurther(t, whole, sort)));
    },
  );

  for (const [slug, sortField] of sorts) {
    const id = `compute.presets.${slug}` as const;
    test(
      `presets sorted by ${sortField} are in order in both directions`,
      { judges: [id, KEEPS_ITEMS], requests: 3 },
      async (t) =>
        judgeSort(t, id, sortField, (up, down) =>
          presetsInOrder(
            sortField,
            [
              ['ASC', up],
              ['DESC', down],
            ],
            t.bindings,
          ),
        ),
    );
  }

  test(
    'one direction of presets is the reverse of the other',
    { judges: ['compute.presets.sort-reverse'], requests: 3 },
    async (t) => {
      const price = (preset: Listing['records'][number]) =>
        presetValue(preset, 'price', t.bindings);
      await judgeSort(t, 'compute.presets.sort-reverse', 'HOURLY_PRICE', (up, down) =>
        opposite(presetsBy(up, price), presetsBy(down, price)),
      );
    },
  );

  test(
    'without a direction presets are sorted ascending, by every field',
    { judges: ['compute.presets.sort-default-direction'], requests: 17 },
    async (t) => {
      const whole = wholePresets(t);
      await having(whole, 2, 'presets');
      for (const [, sortField] of sorts) {
        if (t.bindings.presets?.fields?.[presetSortFields[sortField]] === undefined) continue;
        const verdicts = await whole.against(
          async () => ({
            up: await readSorted(t, sortField),
            down: await readSorted(t, sortField, 'DESC'),
          }),
          (_, { up, down }) => [
            {
              requirement: 'compute.presets.sort-default-direction' as const,
              judgement:
                notAnswered(up, `sort_field=${sortField}`) ??
                notAnswered(down, `sort_field=${sortField}`) ??
                presetsInOrder(
                  sortField,
                  [
                    ['ASC', up],
                    ['DESC', down],
                  ],
                  t.bindings,
                ),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a sort neither adds nor drops presets',
    { judges: ['compute.presets.sort-keeps-items'], requests: 4 },
    async (t) => {
      const whole = wholePresets(t);
      const { end } = await having(whole, 2, 'presets');
      if (end !== 'last-page') throw new NotExercised('there are more than 800 presets');
      // The other sorts are judged where they are read for their order; where that cannot be told, here.
      const untold = sorts.filter(
        ([, sort]) => t.bindings.presets?.fields?.[presetSortFields[sort]] === undefined,
      );
      for (const [, sort_field] of untold.length > 0 ? untold : sorts.slice(-1)) {
        const verdicts = await whole.against(
          async () => [
            await readSorted(t, sort_field, 'ASC'),
            await readSorted(t, sort_field, 'DESC'),
          ],
          (around, lists) =>
            lists.some((list) => list.end === 'no-page')
              ? lists.flatMap((list) => {
                  const judgement = notAnswered(list, sort_field);
                  return judgement === undefined ? [] : [{ requirement: KEEPS_ITEMS, judgement }];
                })
              : keeps(around, lists),
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'without a sort field the order is always the same',
    {
      judges: ['compute.presets.default-order-stable', 'compute.presets.items-array'],
      requests: 16,
    },
    async (t) => {
      await having(wholePresets(t), 2, 'presets');
      for (const size of [200, 'default'] as const) {
        const read = async () => readPresetList(t.api, t.bindings, {}, { size, mostPages: 1 });
        const reads: Listing[] = [];
        for (const count of GROUPS) {
          reads.push(...(await Promise.all(Array.from({ length: count }, read))));
        }
        t.judge('compute.presets.default-order-stable', inOneOrder(t, ...reads));
      }
    },
  );

  test(
    'beside a filter, too, the order is the same, with a direction and without one',
    {
      judges: ['compute.presets.default-order-stable', 'compute.presets.direction-ignored'],
      requests: 16,
    },
    async (t) => {
      const { records } = await having(wholePresets(t), 2, 'presets');
      const filters = besideSorts(t, records);
      if (filters.length === 0) throw new NotExercised('no filter leaves two presets');
      for (const filter of filters) {
        const read = async (sort_direction?: string) =>
          readPresetList(t.api, t.bindings, { ...filter, sort_direction }, { mostPages: 1 });
        const first = await read();
        const down = await read('DESC');
        const again = await read();
        const up = await read('ASC');
        const stable = inOneOrder(t, first, again, await read());
        t.judge('compute.presets.default-order-stable', stable);
        if (stable.violations.length > 0) return;
        t.judge('compute.presets.direction-ignored', inOneOrder(t, first, down, again, up));
      }
    },
  );

  test(
    'a direction without a sort field changes nothing',
    { judges: ['compute.presets.direction-ignored'], requests: 5 },
    async (t) => {
      const whole = wholePresets(t);
      const { ids } = await having(whole, 2, 'presets');
      // Two pages: what turns round on the second alone would not show on one.
      const pages = { size: Math.min(200, Math.ceil(ids.length / 2)) };
      for (const sort_direction of ['ASC', 'DESC']) {
        const verdicts = await whole.against(
          async () => readPresetList(t.api, t.bindings, { sort_direction }, pages),
          (around, list) => {
            const { bracket, walk: reached } = inReach(around, list);
            return [
              {
                requirement: 'compute.presets.direction-ignored' as const,
                judgement:
                  notAnswered(list, `sort_direction=${sort_direction}`) ??
                  sameSequence(bracket, reached),
              },
            ];
          },
        );
        tell(t, verdicts);
      }
    },
  );
});
