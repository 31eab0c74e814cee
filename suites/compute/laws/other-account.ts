/** The list of the second account: filters, sorts, pages, searches and dates work as for the first. */

import { idsIn } from '../../../harness/drivers/compute/session.ts';
import {
  compareOne,
  type Context,
  type Define,
  type Filter,
  lacking,
  textsOf,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import { judgeAround } from '../../../harness/drivers/collection/whole-list.ts';
import type { Listing, ListQuery } from '../../../harness/drivers/collection/reading.ts';
import { findsNone, notAnswered, sameInParts } from '../../../harness/checks/collection/filter.ts';
import {
  filterOfState,
  conclusivePages,
  matchesQuery,
  mostShared,
  PAGES_TO_THE_END,
} from '../../../harness/checks/collection/chosen-values.ts';
import { hasWord, isSearchable } from '../../../harness/checks/collection/search.ts';
import { idOf, type WireRecord } from '../../../harness/checks/compute/records.ts';
import { expectThat } from '../../../harness/checks/judgement.ts';
import { NotExercised } from '../../../harness/runner/case.ts';
import type { Reader } from '../../../harness/drivers/compute/accounts.ts';
import { wholePresets } from '../../../harness/drivers/collection/instances.ts';
import { instances } from '../collections.ts';
import { judgeFilter } from './filters.ts';
import { judgeFinding } from './search.ts';
import { besidePresets } from './sorting.ts';

const of = idsIn('list-instances');

const as = { as: 'second' };
const WALKED_PAGES = 3;
/** A direction that is not read, since the other one tells. */
const unread: Listing = { ids: [], records: [], exchanges: [], end: 'last-page', readable: true };

/** The value that excludes the most items, and the size of two pages on which a forgotten filter would show, if any. */
function telling(t: Context, filter: Filter, records: readonly WireRecord[]) {
  const [best] = filter
    .values(t, records)
    .filter(({ mustBeComplete }) => mustBeComplete !== false)
    .map((value) => {
      const selected = records.map((record) => record[filter.member] === value.shown);
      const meant = selected.filter(Boolean).length;
      return { value, meant, size: conclusivePages(selected, 2)?.size };
    })
    .toSorted(
      (one, other) =>
        Number(one.size === undefined) - Number(other.size === undefined) ||
        one.meant - other.meant,
    );
  return best;
}

/** The list of the second account. Throws `NotExercised` where it has no instances. */
async function listOfOther(t: Context) {
  const whole = wholeOf(t, instances, {}, as);
  const known = await whole.known();
  if (known.ids.length === 0) throw new NotExercised('keys.second has no instances');
  return { whole, known };
}

const needs = ['keys.second'] as const;

/** Repeats the judgements of the first account for the second, with one value each, and several parameters at once. */
export function otherAccount(test: Define): void {
  const sorted = [
    of('sort-default-direction'),
    ...instances.sorting.fields.map(({ id }) => id),
  ] as const;
  test('sorts hold for another account as well', { judges: sorted, needs }, async (t) => {
    const { whole, known } = await listOfOther(t);
    const inTwo = { ...as, size: Math.min(199, Math.ceil(known.ids.length / 2)), mostPages: 3 };
    for (const [at, { field, id }] of instances.sorting.fields.entries()) {
      const read = async (sort_direction?: 'ASC') =>
        instances.read(t, { sort_field: field, sort_direction }, at === 0 ? inTwo : as);
      // Only both directions tell of an order that is not stated; of the others one tells, DESC as the default.
      const isOpen = field === 'SIZE' || field === 'STATUS';
      const judged = field === 'HOURLY_RATE' ? [id, of('sort-default-direction')] : [id];
      const seen = await compareOne(
        t,
        whole,
        async () => ({
          up: isOpen || at % 2 === 0 ? await read('ASC') : unread,
          down: isOpen || at % 2 === 1 ? await read() : unread,
        }),
        (around, { up, down }) => {
          const judgement =
            notAnswered(up, field) ??
            notAnswered(down, field) ??
            instances.sorting.inOrderOverPages(t, field, { up, down }, around);
          return judged.map((requirement) => ({ requirement, judgement }));
        },
      );
      lacking(t, judged, seen, `no two instances of keys.second differ by ${field}`);
    }
  });

  const gaps = 'compute.pagination.walk-without-gaps';
  test('a walk holds for another account as well', { judges: [gaps], needs }, async (t) => {
    const { whole, known } = await listOfOther(t);
    const size = Math.min(199, Math.ceil(known.ids.length / WALKED_PAGES));
    const walk = async () => instances.read(t, {}, { ...as, size });
    await judgeAround(t, whole, gaps, walk, (around, walked) =>
      sameInParts(around, walked, `a walk of size ${size}`),
    );
  });

  const filtered = [of('region-filter'), of('gpu-type-filter')] as const;
  test('filters hold for another account as well', { judges: filtered, needs }, async (t) => {
    const { whole, known } = await listOfOther(t);
    const { region } = mostShared(known.records, ['region']).values;
    for (const filter of instances.filters) {
      // A model beside a region, and the other filters beside a sort.
      const isModel = filter.member === 'gpu_type';
      const beside = isModel ? { region } : { sort_field: 'NAME' };
      const part = isModel ? wholeOf(t, instances, beside, as) : whole;
      const { value, size = 200 } = telling(t, filter, (await part.known()).records) ?? {};
      const options = { ...as, size, mostPages: 2 + PAGES_TO_THE_END };
      const given =
        value && (await judgeFilter(t, instances, filter, value, { beside, whole: part, options }));
      if (given !== undefined) continue;
      const lack = `the instances of keys.second tell nothing of a filter by ${filter.name}`;
      t.notExercised(value?.id ?? filter.ids[0], lack);
    }
  });

  const empty = [of('free-text-absent'), of('date-begin-future'), of('date-end-past')] as const;
  test(
    'what another account has nothing of is empty as well',
    { judges: empty, needs },
    async (t) => {
      const { known } = await listOfOther(t);
      // A status beside the begin, and the begin beside the end, must not make the server forget a date.
      const [status] = known.records.flatMap((record) => filterOfState(record['status']) ?? []);
      for (const [slug, query] of [
        ['free-text-absent', { free_text_search: `qzxjvw-${t.unknownInstanceId()}` }],
        ['date-begin-future', { status, date_range_begin: '2100-12-31T23:59:59Z' }],
        [
          'date-end-past',
          { date_range_begin: '1980-01-01T00:00:00Z', date_range_end: '1990-12-31T23:59:59Z' },
        ],
      ] as const) {
        const part = await instances.read(t, query, as);
        t.judge(of(slug), findsNone(known, part, JSON.stringify(query)));
      }
    },
  );

  const searched = [of('free-text-full-name'), of('filters-combine')] as const;
  test('searches hold for another account as well', { judges: searched, needs }, async (t) => {
    const { whole, known } = await listOfOther(t);
    const listed = known.records.filter((record) => !instances.mayHide(record));
    const name = textsOf(t, instances, listed, 'name').find(
      (text) => hasWord(text) && isSearchable(text),
    );
    if (name === undefined) throw new NotExercised('keys.second has no name to search for');
    const byName = { member: 'name', id: of('free-text-full-name') } as const;
    await judgeFinding(t, instances, whole, byName, name, as);
    // A status that is forgotten beside the search shows the instance of that name all the same.
    const isRunning = listed.some((one) => one['name'] === name && one['status'] === 'RUNNING');
    const query = { free_text_search: name, status: isRunning ? 'stopped' : 'running' };
    const narrow = async () => instances.read(t, query, as);
    await judgeAround(t, whole, of('filters-combine'), narrow, (_around, part) => {
      const stray = part.records.find((record) => !matchesQuery(record, query));
      const judgement = expectThat(
        stray === undefined,
        'A search beside a status shows an instance in another state.',
        {
          expected: JSON.stringify(query),
          actual: stray === undefined ? 'none' : `${String(stray['status'])}: ${idOf(stray)}`,
        },
        ...part.exchanges,
      );
      return notAnswered(part, JSON.stringify(query)) ?? judgement;
    });
  });
}

/**
 * The whole list, and queries that a service may answer from another source, with the key that compares: where it may not
 * read presets, the second key does.
 */
export async function presetQueries(
  t: Context,
): Promise<readonly (readonly [ListQuery, Reader])[]> {
  const isBound = t.bindings.presets?.items !== undefined;
  const { records } = isBound ? await wholePresets(t).known() : { records: [] };
  const beside = besidePresets(t, records);
  const [search = {}, ...skus] = beside.filter((query) => !('region' in query));
  return [
    [{}, 'second'],
    [{ region: 'UAE' }, 'forbidden'],
    [{ region: 'FR', ...search }, 'second'],
    [{ region: 'US' }, 'empty'],
    [{ sort_field: 'HOURLY_PRICE' }, 'second'],
    ...skus.map((sku) => [sku, 'second'] as const),
  ];
}
