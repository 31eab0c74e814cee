/** GET /instances: its parameters and its search; what it shows of the account, and what is open. */

import { instancePageSize } from '../../schemas/compute/list-instances.ts';
import { isListed, selectsNone } from '../../harness/checks/collection/filter.ts';
import { madeForDefault, nextCursor } from '../../harness/checks/collection/bounds.ts';
import { type WireRecord, isSuccess, itemsOf } from '../../harness/checks/compute/records.ts';
import { searchedTexts, textsApart, wordsOf } from '../../harness/checks/collection/search.ts';
import { textOf, textsOf, wholeOf } from '../../harness/drivers/collection/collection.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { expectThat } from '../../harness/checks/judgement.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { instances, presets } from './collections.ts';
import { oddities, refusals, sizes } from './laws/bounds.ts';
import { search } from './laws/search.ts';
import { sorts } from './laws/sorts.ts';
import { filtersInPassing, filtersWithin, lastingOrder } from './laws/changes.ts';
import { filtersCombined } from './laws/combined.ts';
import { filters } from './laws/filters.ts';
import { windowed } from './laws/windows.ts';
import { statusFilters } from '../../schemas/compute/list-instances.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { distinctTexts, matchesQuery } from '../../harness/checks/collection/chosen-values.ts';
import { selects } from '../../harness/checks/collection/filter.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { answeredWith } from '../../harness/checks/compute/answers.ts';
import { readWindow } from '../../harness/drivers/collection/dating.ts';
import {
  having,
  judgeAround,
  wholeInstances,
  WholeList,
} from '../../harness/drivers/collection/whole-list.ts';

const statuses = ['running', 'stopped', 'terminated', 'errored'] as const;
type Status = (typeof statuses)[number];

import { eventually } from '../../harness/runner/retry.ts';

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

/** Locations that are searched for: few instances may run at any of them. */
const MAX_PLACES = 6;
function said(query: string, answer: Exchange): string {
  const items = itemsOf(answer);
  const what = items === undefined ? '' : ` and ${items.length} items`;
  return `${query.slice(0, 80)}: ${answer.response?.status ?? answer.ending}${what}`;
}

/** In whole seconds, and as finely as most clients write dates. */
function farBounds(bound: string, year: string): readonly Record<string, string>[] {
  return ['', '.999'].map((fraction) => ({ [bound]: `${year}-12-31T23:59:59${fraction}Z` }));
}

export default computeSection('list-instances', (test) => {
  sizes(test, instances);
  refusals(test, instances, refused, (slug) => `compute.list-instances.${slug}`);
  oddities(test, instances);
  search(test, instances);
  sorts(test, instances);
  filters(test, instances);
  filtersCombined(test);
  filtersInPassing(test);
  filtersWithin(test);
  windowed(test);
  lastingOrder(test);

  test(
    'without a size, a page is made for 50 items',
    { judges: ['compute.list-instances.size-default'] },
    async (t) => {
      const id = 'compute.list-instances.size-default';
      const first = await t.api.list();
      const cursor = nextCursor(first);
      const judgement = madeForDefault(first, instancePageSize.standard);
      t.judge(id, judgement);
      const further = typeof cursor === 'string' ? [{ cursor }] : [];
      for (const query of [{ status: 'running' }, { sort_field: 'NAME' }, ...further]) {
        t.judge(id, madeForDefault(await t.api.list(query), instancePageSize.standard));
      }
      if (judgement.seen > 0) return;
      t.notExercised(id, 'with fewer than 50 instances only a size of 50 in the answer tells');
    },
  );

  test(
    'a search for a location finds nothing, unless something else is called so',
    { judges: ['compute.list-instances.free-text-location'] },
    async (t) => {
      const whole = await having(wholeOf(t, instances), 1, 'instances');
      if (whole.end !== 'last-page') throw new NotExercised('the account cannot be seen whole');
      const { records } = await wholeOf(t, presets).known();
      const regions = new Set(textsOf(t, instances, whole.records, 'region'));
      const runsAt = (preset: WireRecord) =>
        Number(regions.has(textOf(t, presets, preset, 'region')));
      // Those first where instances run; a word of a location may be apart where its number is not.
      const located = records.toSorted((one, other) => runsAt(other) - runsAt(one));
      const places = textsOf(t, presets, located, 'location');
      const words = places.flatMap((place) => wordsOf(place));
      const texts = textsApart(searchedTexts(whole.records), [...places, ...words], MAX_PLACES);
      if (texts.length === 0) throw new NotExercised('every location resembles what is searched');
      for (const text of texts) {
        const part = await instances.read(t, { free_text_search: text });
        t.judge('compute.list-instances.free-text-location', selectsNone(whole, part, text));
      }
    },
  );

  test(
    'an instance that can be acted on is in the list',
    { judges: ['compute.list-instances.own-listed'] },
    async (t) => {
      const id = await t.stopped();
      const judgement = await eventually(t, 'stoppedListed', async () => {
        const list = await instances.read(t);
        // Asked after the list was read: what it had lost by then is not missed there.
        const stop = await t.api.stop(id);
        if (!isSuccess(stop)) throw new NotExercised('the stopped instance accepts no stop');
        return isListed(id, list, stop);
      });
      judgeOrLack(
        t,
        'compute.list-instances.own-listed',
        judgement,
        'the account has more instances than are read, and the stopped one is not among the newest',
      );
    },
  );

  for (const [slug, queries] of open) {
    const id = `compute.list-instances.${slug}` as const;
    test(`what ${slug} does is recorded`, { judges: [id] }, async (t) => {
      for (const query of queries) {
        const answer = await t.api.list(query);
        t.record(id, said(query, answer), answer);
      }
    });
  }

  test(
    'terminated instances are found in their region, and whether they stay listed is recorded',
    {
      judges: [
        'compute.list-instances.terminated-listed',
        'compute.list-instances.filters-combine',
      ],
    },
    async (t) => {
      const { records } = await having(wholeOf(t, instances), 1, 'instances');
      const terminated = await instances.read(t, { status: 'terminated' }, { mostPages: 1 });
      const listed = records.filter((record) => record['status'] === 'TERMINATED').length;
      t.record(
        'compute.list-instances.terminated-listed',
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
      const others = beside.records.filter((record) => !matchesQuery(record, query));
      const judgement = expectThat(
        others.length === 0,
        'Terminated instances of one region are asked for, and others come.',
        { expected: `TERMINATED in ${region}`, actual: `${others.length} others` },
        ...beside.exchanges,
      );
      t.judge('compute.list-instances.filters-combine', judgement);
    },
  );

  test(
    'filters hold for another account as well',
    {
      judges: ['compute.list-instances.region-filter', 'compute.list-instances.gpu-type-filter'],
      needs: ['keys.second'],
    },
    async (t) => {
      const as = { as: 'second' };
      const whole = new WholeList(t, async () => readInstances(t.api, {}, as));
      const { records, ids } = await whole.known();
      if (ids.length === 0) throw new NotExercised('the account of keys.second has no instances');
      const counts = (status: Status) =>
        records.filter((record) => record['status'] === statusFilters[status]).length;
      // A state that leaves most of them out.
      const [status = 'errored'] = statuses.toSorted((one, other) => counts(one) - counts(other));
      const [model] = distinctTexts(records, 'gpu_type');
      const region = distinctTexts(records, 'region').find((one) =>
        regionCodes.some((code) => code === one),
      );
      for (const [requirement, field, value, meant] of [
        ['compute.list-instances.region-filter', 'region', region, region],
        ['compute.list-instances.gpu-type-filter', 'gpu_type', model, model],
        [`compute.list-instances.status-${status}`, 'status', status, statusFilters[status]],
      ] as const) {
        if (value === undefined) {
          t.notExercised(requirement, `no instance of keys.second shows a ${field} to filter by`);
          continue;
        }
        const query = { [field]: value };
        await judgeAround(
          t,
          whole,
          requirement,
          async () => readInstances(t.api, query, as),
          (around, part) =>
            selects({
              ...around,
              part,
              matches: (record) => record[field] === meant,
              filter: `${JSON.stringify(query)} with keys.second`,
              withinFull: value !== 'terminated',
            }),
        );
      }
    },
  );

  // The last second of a year: the greatest month, day, hour, minute and second that there are.
  for (const [slug, queries] of [
    ['date-begin-future', farBounds('date_range_begin', '2100')],
    // And a day that is in few years.
    [
      'date-end-past',
      [...farBounds('date_range_end', '1990'), { date_range_end: '1988-02-29T12:00:00Z' }],
    ],
  ] as const) {
    const id = `compute.list-instances.${slug}` as const;
    test(`a window without any creation is empty (${slug})`, { judges: [id] }, async (t) => {
      const known = await having(wholeInstances(t, {}, { mostPages: 1 }), 1, 'instances');
      for (const query of queries) {
        const page = await readWindow(t.api, query);
        t.judge(id, selectsNone(known, page, JSON.stringify(query)));
        const [answer] = page.exchanges;
        if (answer !== undefined)
          t.judge(id, answeredWith(answer, 200, `The window ${JSON.stringify(query)}`));
      }
    });
  }
});
