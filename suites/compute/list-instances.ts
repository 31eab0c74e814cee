/** GET /instances: parameters, filters, search, order, which instances it shows, and open behaviour. */

import { instancePageSize } from '../../schemas/compute/list-instances.ts';
import { madeForDefault, nextCursor } from '../../harness/checks/collection/bounds.ts';
import { distinctTexts, matchesQuery } from '../../harness/checks/collection/chosen-values.ts';
import { findsAll, isListed, findsNone } from '../../harness/checks/collection/filter.ts';
import { searchedTexts, textsApart, wordsOf } from '../../harness/checks/collection/search.ts';
import { type WireRecord, isSuccess, itemsOf } from '../../harness/checks/compute/records.ts';
import { expectThat } from '../../harness/checks/judgement.ts';
import { textOf, textsOf, wholeOf } from '../../harness/drivers/collection/collection.ts';
import { judgeAround, requireItems } from '../../harness/drivers/collection/whole-list.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { eventually } from '../../harness/runner/retry.ts';
import { instances, presets } from './collections.ts';
import { goodValues, oddities, refusals, sizes } from './laws/bounds.ts';
import {
  describedInOneWay,
  filtersInPassing,
  filtersWithin,
  lastingOrder,
} from './laws/changes.ts';
import { filtersCombined } from './laws/combinations.ts';
import { creationInstant } from './laws/creation-instant.ts';
import { filters } from './laws/filters.ts';
import { otherAccount } from './laws/other-account.ts';
import { search } from './laws/search.ts';
import { sorts } from './laws/sorts.ts';
import { windowed } from './laws/windows.ts';

const of = idsIn('list-instances');

const refused = [
  'size-zero',
  'size-negative',
  'size-above-maximum',
  'size-overflow',
  'size-fraction',
  'size-not-a-number',
  'status-unknown',
  'status-upper-case',
  'status-not-offered',
  'date-invalid',
  'date-timestamp',
  'sort-field-unknown',
  'sort-direction-unknown',
  'free-text-too-long',
] as const;

/** Queries without a stated outcome, by the requirement that records it. */
const open = [
  ['direction-without-field', ['sort_direction=ASC', 'sort_direction=DESC']],
  ['enum-case', ['sort_field=name', 'sort_field=NAME&sort_direction=asc', 'region=fr']],
  [
    'date-begin-after-end',
    ['date_range_begin=2026-01-02T00:00:00Z&date_range_end=2026-01-01T00:00:00Z'],
  ],
  [
    'date-partial',
    ['date_range_begin=2020-01-01', 'date_range_begin=2020-01-01T00:00', 'date_range_end=2026'],
  ],
  ['unknown-parameter', ['no_such_parameter=1']],
  ['empty-parameter', ['size=', 'status=', 'free_text_search=', 'cursor=']],
  ['repeated-parameter', ['size=1&size=2', 'status=running&status=stopped']],
  ['size-spelling', ['size=010', 'size=%2B10', 'size=1e1', 'size=10.0', 'size=%2010']],
  // 128 astral characters: 128 code points, 256 UTF-16 units, 512 bytes of UTF-8.
  [
    'free-text-length-unit',
    ['🚀'.repeat(128), 'é'.repeat(200)].map(
      (text) => `free_text_search=${encodeURIComponent(text)}`,
    ),
  ],
] as const;

/** Number of locations to search for: few instances may run at each. */
const MAX_PLACES = 6;

function said(query: string, answer: Exchange): string {
  const items = itemsOf(answer);
  const what = items === undefined ? '' : ` and ${items.length} items`;
  return `${query.slice(0, 80)}: ${answer.response?.status ?? answer.ending}${what}`;
}

export default computeSection('list-instances', (test) => {
  sizes(test, instances);
  refusals(test, instances, refused, of);
  oddities(test, instances);
  search(test, instances);
  sorts(test, instances);
  filters(test, instances);
  filtersCombined(test, instances);
  filtersInPassing(test);
  filtersWithin(test);
  windowed(test);
  creationInstant(test);
  lastingOrder(test);
  describedInOneWay(test);
  otherAccount(test);

  test(
    'without a size, a page is made for 50 items',
    { judges: [of('size-default')] },
    async (t) => {
      const first = await t.api.list();
      const cursor = nextCursor(first);
      const judgement = madeForDefault(first, instancePageSize.standard);
      t.judge(of('size-default'), judgement);
      const further = typeof cursor === 'string' ? [{ cursor }] : [];
      // A direction without a field has no stated outcome, and the server may reject an unknown GPU model.
      const narrowed = goodValues(t, instances).filter(
        (query) => !('sort_direction' in query) && !('gpu_type' in query),
      );
      const gpu_type = textsOf(t, instances, instances.itemsIn(t, first) ?? [], 'gpu_type')[0];
      // How long a cursor leads on is open, so it is followed at once.
      const pages = [...further, ...narrowed, { gpu_type }].map((query) => [query, {}] as const);
      const others = t.target.keys.second === undefined ? [] : [[{}, { as: 'second' }] as const];
      for (const [query, options] of [...pages, ...others]) {
        const page = await t.api.list(query, options);
        // Policy may keep the second key out.
        if ('as' in options && page.response?.status === 403) continue;
        t.judge(of('size-default'), madeForDefault(page, instancePageSize.standard));
      }
      if (judgement.seen > 0) return;
      const lack = 'with fewer than 50 instances only a size of 50 in the answer tells';
      t.notExercised(of('size-default'), lack);
    },
  );

  test(
    'a search for a location finds nothing, unless something else is called so',
    { judges: [of('free-text-location')] },
    async (t) => {
      const whole = await requireItems(wholeOf(t, instances), 1, 'instances');
      if (whole.end !== 'last-page') throw new NotExercised('the account cannot be seen whole');
      const { records } = await wholeOf(t, presets).known();
      const regions = new Set(textsOf(t, instances, whole.records, 'region'));
      const runsAt = (preset: WireRecord) =>
        Number(regions.has(textOf(t, presets, preset, 'region')));
      // Locations with instances come first. A word of a location may be distinct even if the whole name is not.
      const located = records.toSorted((one, other) => runsAt(other) - runsAt(one));
      const places = textsOf(t, presets, located, 'location');
      const words = places.flatMap((place) => wordsOf(place));
      const texts = textsApart(searchedTexts(whole.records), [...places, ...words], MAX_PLACES);
      if (texts.length === 0)
        throw new NotExercised('every location resembles the text that is searched for');
      for (const text of texts) {
        const part = await instances.read(t, { free_text_search: text });
        t.judge(of('free-text-location'), findsNone(whole, part, text));
      }
    },
  );

  test(
    'an instance that can be acted on is in the list',
    { judges: [of('own-listed')] },
    async (t) => {
      const id = await t.stopped();
      const judgement = await eventually(t, 'stoppedListed', async () => {
        const list = await instances.read(t);
        // The stop follows the read of the list, so an instance that was removed before does not count as missing.
        const stop = await t.api.stop(id);
        if (!isSuccess(stop)) throw new NotExercised('the stopped instance accepts no stop');
        return isListed(id, list, stop);
      });
      judgeOrLack(
        t,
        of('own-listed'),
        judgement,
        'the account has more instances than are read, and the stopped one is not among the newest',
      );
    },
  );

  for (const [slug, queries] of open) {
    test(`what ${slug} does is recorded`, { judges: [of(slug)] }, async (t) => {
      for (const query of queries) {
        const answer = await t.api.list(query);
        t.record(of(slug), said(query, answer), answer);
      }
    });
  }

  test(
    'terminated instances are found in their region, and whether they stay listed is recorded',
    { judges: [of('terminated-listed'), of('filters-combine')] },
    async (t) => {
      const { records } = await requireItems(wholeOf(t, instances), 1, 'instances');
      const ended = wholeOf(t, instances, { status: 'terminated' }, { mostPages: 1 });
      const terminated = await ended.known();
      const listed = records.filter((record) => record['status'] === 'TERMINATED').length;
      t.record(
        of('terminated-listed'),
        `${listed} of ${terminated.ids.length} terminated instances are in the unfiltered list`,
        terminated.exchanges[0],
      );
      const [region = '', other] = distinctTexts(terminated.records, 'region');
      const query = { status: 'terminated', region };
      const beside =
        other === undefined ? undefined : await instances.read(t, query, { mostPages: 1 });
      if (beside === undefined || beside.records.length === 0) {
        throw new NotExercised('no terminated instances are listed of two regions');
      }
      const searched = { status: 'terminated', free_text_search: region };
      await judgeAround(
        t,
        ended,
        of('filters-combine'),
        async () => instances.read(t, searched, { mostPages: 1 }),
        (around, part) =>
          findsAll({
            ...around,
            part,
            matches: (record) => record['region'] === region,
            filter: JSON.stringify(searched),
          }),
      );
      const others = beside.records.filter((record) => !matchesQuery(record, query));
      const judgement = expectThat(
        others.length === 0,
        'Terminated instances of one region are asked for, and others come.',
        { expected: `TERMINATED in ${region}`, actual: `${others.length} others` },
        ...beside.exchanges,
      );
      t.judge(of('filters-combine'), judgement);
    },
  );
});
