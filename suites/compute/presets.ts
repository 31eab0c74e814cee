/** GET /presets: parameters, search, and the fields of a preset. */

import { cutNames } from '../../harness/checks/collection/chosen-values.ts';
import { inReach, comesRound } from '../../harness/checks/collection/bracket.ts';
import { notAnswered } from '../../harness/checks/collection/filter.ts';
import { sameSequence } from '../../harness/checks/collection/walk.ts';
import { type Listing, type ListQuery, walk } from '../../harness/drivers/collection/reading.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { sorts, sortsOnLaterPages } from './laws/sorts.ts';
import { besidePresets } from './laws/sorting.ts';
import { fieldsThere, isEmptyPage } from '../../harness/checks/compute/presets.ts';
import { contentOf, shownSize, nextCursor } from '../../harness/checks/collection/bounds.ts';
import { textOf, textsOf, wholeOf } from '../../harness/drivers/collection/collection.ts';
import { requireItems, judgeAround } from '../../harness/drivers/collection/whole-list.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { inOneOrder, presets } from './collections.ts';
import { cursors, goodValues, oddities, refusals, sizes } from './laws/bounds.ts';
import { search, searchOnLaterPages } from './laws/search.ts';
import { queriesOfPresets } from './laws/filtering.ts';
import { filters, filtersBeside, filtersOnLaterPages } from './laws/filters.ts';
import { walks } from './laws/walks.ts';
import { isCodeInAnyCase, isRegionCode } from '../../schemas/compute/regions.ts';
import { rest, sendAtOnce } from '../../harness/runner/retry.ts';
import { unknownRegions } from '../../harness/generate/lists.ts';

const of = idsIn('presets');

/** Sizes of successive groups of parallel reads, so that an alternating response cannot stay in step with the reads. */
const GROUPS = [1, 3, 1];

const refused = [
  'size-zero',
  'size-negative',
  'size-above-maximum',
  'size-overflow',
  'size-fraction',
  'size-not-a-number',
  'sort-field-unknown',
  'sort-direction-unknown',
  'free-text-too-long',
] as const;

const MAX_LOCATIONS = 8;

export default computeSection('presets', (test) => {
  sizes(test, presets);
  refusals(test, presets, refused, of);
  oddities(test, presets);
  cursors(test, presets);
  search(test, presets);
  sorts(test, presets);
  sortsOnLaterPages(test, presets);
  filters(test, presets);
  filtersOnLaterPages(test, presets);
  walks(test, presets);
  filtersBeside(test, presets, queriesOfPresets);
  searchOnLaterPages(test, presets);

  test(
    'every preset carries its price',
    // The universal checks judge these requirements; the case only reads presets.
    { judges: [of('price-there'), 'compute.pagination.object-on-presets'] },
    async (t) => {
      const { ids } = await presets.read(t);
      if (ids.length === 0) throw new NotExercised('the primary key sees no presets');
    },
  );

  test('every preset says what it is', { judges: [of('fields-there')] }, async (t) => {
    const list = await requireItems(wholeOf(t, presets), 1, 'presets');
    judgeOrLack(
      t,
      of('fields-there'),
      fieldsThere(list, t.bindings),
      'the target file names no field of a preset',
    );
  });

  test(
    'the fields of a preset and the default page size are recorded',
    { judges: [of('record-fields'), of('size-default')] },
    async (t) => {
      const answer = await t.api.presets();
      const [preset = {}] = presets.itemsIn(t, answer) ?? [];
      const names = Object.keys(preset).join(', ');
      t.record(of('record-fields'), names === '' ? 'not known' : names, answer);
      const said = `a page without a size says size ${String(shownSize(answer))}`;
      t.record(of('size-default'), said, answer);
    },
  );

  test(
    'whether one SKU is offered in several regions is recorded',
    { judges: [of('offered-in-several-regions')] },
    async (t) => {
      const { records, exchanges } = await requireItems(wholeOf(t, presets), 1, 'presets');
      const several = textsOf(t, presets, records, 'sku').filter((sku) => {
        const offers = records.filter((preset) => textOf(t, presets, preset, 'sku') === sku);
        return textsOf(t, presets, offers, 'region').length > 1;
      });
      t.record(
        of('offered-in-several-regions'),
        `${several.length} SKU names are offered in several regions, such as ${several[0] ?? 'none'}`,
        exchanges[0],
      );
    },
  );

  test(
    'without a sort field the order is always the same',
    { judges: [of('default-order-stable'), of('items-array')], waitsLong: true },
    async (t) => {
      const whole = await requireItems(wholeOf(t, presets), 2, 'presets');
      const firsts: Listing[] = [];
      for (const size of [200, 'default'] as const) {
        const read = async () => presets.read(t, {}, { size, mostPages: 1 });
        const reads: Listing[] = [];
        for (const count of GROUPS) {
          reads.push(...(await sendAtOnce(count, read)));
        }
        t.judge(of('default-order-stable'), inOneOrder(t, ...reads));
        firsts.push(...reads.slice(0, 1));
      }
      await rest(t, 'presetsLater');
      const later = await presets.read(t, {}, { size: 200, mostPages: 1 });
      for (const earlier of [whole, ...firsts])
        t.judge(of('default-order-stable'), inOneOrder(t, earlier, later));
    },
  );

  test(
    'beside a filter, too, the order is the same, with a direction and without one',
    { judges: [of('default-order-stable'), of('direction-ignored')] },
    async (t) => {
      const { records } = await requireItems(wholeOf(t, presets), 2, 'presets');
      const several = besidePresets(t, records);
      if (several.length === 0)
        throw new NotExercised('every filter leaves fewer than two presets');
      for (const filter of t.some(several)) {
        const read = async (sort_direction?: string) =>
          presets.read(t, { ...filter, sort_direction }, { mostPages: 1 });
        const first = await read();
        const down = await read('DESC');
        const reread = await read();
        const up = await read('ASC');
        const directed = inOneOrder(t, first, down, reread, up);
        const further = directed.violations.length > 0 ? [await read()] : [];
        const stable = inOneOrder(t, first, reread, ...further);
        t.judge(of('default-order-stable'), stable);
        if (stable.violations.length > 0) return;
        t.judge(of('direction-ignored'), directed);
      }
    },
  );

  test(
    'a direction without a sort field changes nothing',
    { judges: [of('direction-ignored')] },
    async (t) => {
      const whole = wholeOf(t, presets);
      const { ids } = await requireItems(whole, 2, 'presets');
      // Two pages, since a direction may affect only the second.
      const pages = { size: Math.min(200, Math.ceil(ids.length / 2)) };
      for (const sort_direction of ['ASC', 'DESC']) {
        await judgeAround(
          t,
          whole,
          of('direction-ignored'),
          async () => presets.read(t, { sort_direction }, pages),
          (around, list) => {
            const { bracket, walk: reached } = inReach(around, list);
            const broken = notAnswered(list, `sort_direction=${sort_direction}`);
            return broken ?? sameSequence(bracket, reached);
          },
        );
      }
    },
  );

  test(
    'a region that does not exist, and a location in a region, give an empty page of presets',
    { judges: [of('region-unknown-empty'), of('region-mapped-location')] },
    async (t) => {
      const plain = await t.api.presets();
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const judgeEmpty = async (
        slug: 'region-unknown-empty' | 'region-mapped-location',
        query: ListQuery,
      ) => {
        const what = `The preset filter ${JSON.stringify(query)}`;
        const page = await t.api.presets(query);
        t.judge(of(slug), isEmptyPage(page, what, plain, t.bindings));
      };
      const others = goodValues(t, presets).filter((query) => !('region' in query));
      const beside = (at: number) => others[at % others.length];
      for (const [at, region] of t.some(unknownRegions).entries()) {
        if (unmapped.includes(region)) continue;
        await judgeEmpty('region-unknown-empty', { region });
        await judgeEmpty('region-unknown-empty', { region, ...beside(at) });
      }
      if (presets.itemsIn(t, plain)?.length === 0) {
        t.notExercised(of('region-unknown-empty'), 'there are no presets');
      }
      if (t.bindings.presets?.fields?.location === undefined) return;
      const { records } = await requireItems(wholeOf(t, presets), 1, 'presets');
      const mapped = records.filter((preset) => isRegionCode(textOf(t, presets, preset, 'region')));
      const shown = textsOf(t, presets, records, 'location');
      const locations = textsOf(t, presets, mapped, 'location').filter(
        (location) => !unmapped.includes(location) && !isCodeInAnyCase(location),
      );
      for (const region of cutNames([...locations, ...unmapped, ...shown])) {
        if (!isCodeInAnyCase(region)) await judgeEmpty('region-unknown-empty', { region });
      }
      if (locations.length === 0) throw new NotExercised('no preset shows a location and a region');
      for (const [at, region] of t.some(locations, 2, MAX_LOCATIONS).entries()) {
        await judgeEmpty('region-mapped-location', { region });
        await judgeEmpty('region-mapped-location', { region, ...beside(at) });
      }
    },
  );

  test(
    'a walk over the presets ends, whatever list holds them',
    { judges: [of('walk-ends')] },
    async (t) => {
      for (const size of [200, 25]) {
        const walked = await walk({
          page: async (cursor) => t.api.presets({ size, cursor }),
          // Only cursors matter here, so the binding of the list is not needed.
          items: (exchange) => (nextCursor(exchange) === undefined ? undefined : []),
          mostPages: 20,
        });
        const pages = walked.pages.map(contentOf);
        const ended = comesRound({ ids: [], exchanges: walked.pages, end: walked.end }, pages);
        t.judge(of('walk-ends'), ended);
      }
    },
  );
});
