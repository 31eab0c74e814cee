/** The list of the second account: filters, sorts, pages, searches and dates work as for the first. */

import {
  compareOne,
  type Define,
  lacking,
  textsOf,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import { judgeAround } from '../../../harness/drivers/collection/whole-list.ts';
import { findsAll, sameInParts, findsNone } from '../../../harness/checks/collection/filter.ts';
import { hasWord, isSearchable } from '../../../harness/checks/collection/search.ts';
import type { WireRecord } from '../../../harness/checks/compute/records.ts';
import { NotExercised } from '../../../harness/runner/case.ts';
import { instances } from '../collections.ts';
import { judgeFilter } from './filters.ts';

const of = <Slug extends string>(slug: Slug) => `compute.list-instances.${slug}` as const;

const as = { as: 'second' };
const WALKED_PAGES = 3;

/** Repeats the judgements of the first account for the second, with one value each. */
export function otherAccount(test: Define): void {
  test(
    'filters, sorts and pages hold for another account as well',
    {
      judges: [
        of('region-filter'),
        of('gpu-type-filter'),
        of('sort-name'),
        of('sort-hourly-rate'),
        'compute.pagination.walk-without-gaps',
      ],
      needs: ['keys.second'],
    },
    async (t) => {
      const whole = wholeOf(t, instances, {}, as);
      const { records } = await whole.known();
      if (records.length === 0) throw new NotExercised('keys.second has no instances');
      for (const [id, sort_field] of [
        [of('sort-name'), 'NAME'],
        [of('sort-hourly-rate'), 'HOURLY_RATE'],
      ] as const) {
        const sorted = async (sort_direction: 'ASC' | 'DESC') =>
          instances.read(t, { sort_field, sort_direction }, as);
        const seen = await compareOne(
          t,
          whole,
          async () => ({ up: await sorted('ASC'), down: await sorted('DESC') }),
          (around, lists) => [
            {
              requirement: id,
              judgement: instances.sorting.inOrderOverPages(t, sort_field, lists, around),
            },
          ],
        );
        lacking(t, [id], seen, `no two instances of keys.second differ by ${sort_field}`);
      }
      const size = Math.min(199, Math.ceil(records.length / WALKED_PAGES));
      await judgeAround(
        t,
        whole,
        'compute.pagination.walk-without-gaps',
        async () => instances.read(t, {}, { ...as, size }),
        (around, walked) => sameInParts(around, walked, `a walk of size ${size}`),
      );
      for (const filter of instances.filters) {
        // The value that excludes the most instances.
        const meant = (shown: string) =>
          records.filter((record) => record[filter.member] === shown).length;
        const [value] = filter
          .values(t, records)
          .toSorted((one, other) => meant(one.shown) - meant(other.shown));
        const part =
          value && (await judgeFilter(t, instances, filter, value, { whole, options: as }));
        if (part === undefined)
          t.notExercised(
            value?.id ?? filter.ids[0],
            `the instances of keys.second tell nothing of a filter by ${filter.name}`,
          );
      }
    },
  );

  test(
    'searches and dates hold for another account as well',
    {
      judges: [
        of('free-text-full-name'),
        of('free-text-absent'),
        of('date-begin-future'),
        of('date-end-past'),
      ],
      needs: ['keys.second'],
    },
    async (t) => {
      const whole = wholeOf(t, instances, {}, as);
      const known = await whole.known();
      if (known.records.length === 0) throw new NotExercised('keys.second has no instances');
      for (const [slug, query] of [
        ['free-text-absent', { free_text_search: `qzxjvw-${t.unknownInstanceId()}` }],
        ['date-begin-future', { date_range_begin: '2100-12-31T23:59:59Z' }],
        ['date-end-past', { date_range_end: '1990-12-31T23:59:59Z' }],
      ] as const) {
        const part = await instances.read(t, query, as);
        t.judge(of(slug), findsNone(known, part, JSON.stringify(query)));
      }
      const listed = known.records.filter((record) => !instances.mayHide(record));
      const name = textsOf(t, instances, listed, 'name').find(
        (text) => hasWord(text) && isSearchable(text),
      );
      if (name === undefined) throw new NotExercised('keys.second has no name to search for');
      const read = async () => instances.read(t, { free_text_search: name }, as);
      const matches = (record: WireRecord) => record['name'] === name && !instances.mayHide(record);
      await compareOne(t, whole, read, (around, part) => {
        const judgement = findsAll({ ...around, part, matches, filter: `a search for ${name}` });
        return [{ requirement: of('free-text-full-name'), judgement }];
      });
    },
  );
}
