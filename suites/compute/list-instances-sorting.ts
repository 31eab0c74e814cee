/** GET /instances: sorts by every field, in both directions. */

import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import {
  type Directions,
  type InstanceSort,
  bothDirections,
  orderedSorts,
  sortedBy,
} from '../../harness/checks/compute/instance-sorts.ts';
import { type CompareKeys, bySomeOrder } from '../../harness/checks/compute/sort-key.ts';
import { distinctTexts } from '../../harness/checks/compute/instance-query.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { notAnswered } from '../../harness/checks/compute/selection.ts';
import { sameItems } from '../../harness/checks/compute/sequence.ts';
import { type SortDirection, inOrder, opposite } from '../../harness/checks/compute/sorting.ts';
import type { UniversalJudgement } from '../../harness/checks/universal.ts';
import type { Around } from '../../harness/drivers/compute/against.ts';
import {
  type Listing,
  type ListQuery,
  readInstances,
} from '../../harness/drivers/compute/listing.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { boundedSubset } from '../../harness/drivers/compute/surveyable.ts';
import { having, tell, wholeInstances } from '../../harness/drivers/compute/whole-lists.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const ordered = [
  ['sort-name', 'NAME'],
  ['sort-gpu-type', 'GPU_TYPE'],
  ['sort-region', 'REGION'],
  ['sort-hourly-rate', 'HOURLY_RATE'],
  ['sort-current-cost', 'CURRENT_COST'],
  ['sort-size', 'SIZE'],
  ['sort-status', 'STATUS'],
] as const;

/** One page of a sorted list, of the newest instances of a large account; walks are judged under pagination. */
const onePage = { mostPages: 1 } as const;

const NOTHING: ListQuery = {};
const NOT_WHOLE = 'no read of the list was whole, or it changed each time';
const KEEPS_ITEMS = 'compute.list-instances.sort-keeps-items' as const;

/** The most frequent value of a field: a filter that leaves something to sort. */
function mostFrequent(
  records: Listing['records'],
  field: 'region' | 'gpu_type',
): string | undefined {
  const count = (value: string) => records.filter((record) => record[field] === value).length;
  return distinctTexts(records, field).toSorted((one, other) => count(other) - count(one))[0];
}

/** Sorted lists have the items of the list that they sort; one that was not read to its end says nothing. */
function keeps({ before, after }: Around<Listing>, { up, down }: Directions) {
  const isWhole = [before, after, up, down].every(({ end }) => end === 'last-page');
  return [up, down].map((list) => ({
    requirement: KEEPS_ITEMS,
    judgement: isWhole ? sameItems({ before: before.ids, after: after.ids }, list) : notObserved,
  }));
}

/** Other queries for each sort, of all kinds: a sort may be lost beside one kind alone. */
function besideQueries(sort: InstanceSort, records: Listing['records']): readonly ListQuery[] {
  const region = mostFrequent(records, 'region');
  const gpuType = mostFrequent(records, 'gpu_type');
  const running = { status: 'running' };
  const found = { free_text_search: region };
  const since = { date_range_begin: '2000-01-01T00:00:00Z' };
  const until = { date_range_end: '2100-12-31T23:59:59Z' };
  const queries: Readonly<Record<InstanceSort, readonly ListQuery[]>> = {
    NAME: [running, found, until],
    GPU_TYPE: [found, { region }, since],
    REGION: [{ gpu_type: gpuType }, running, until],
    HOURLY_RATE: [{ region }, running, found, since, until],
    CURRENT_COST: [{ region }, until],
    SIZE: [since],
    STATUS: [{ region, gpu_type: gpuType }, until],
  };
  return queries[sort].filter((query) => !Object.values(query).includes(undefined));
}

/** Reads both directions and judges them; what looks wrong is read again. */
async function judgeDirections(
  t: ComputeContext,
  sort_field: string,
  refusalOf: ComputeRequirementId,
  judge: (lists: Directions) => readonly UniversalJudgement<ComputeRequirementId>[],
  beside: ListQuery = NOTHING,
): Promise<void> {
  const part = { ...beside, ...(await boundedSubset(t)) };
  const whole = wholeInstances(t, part, onePage);
  const { ids } = await whole.known();
  if (ids.length < 2 && beside !== NOTHING) return;
  await having(whole, 2, 'instances');
  const read = async (sort_direction: SortDirection) =>
    readInstances(t.api, { ...part, sort_field, sort_direction }, onePage);
  const verdicts = await whole.against(
    async () => ({ up: await read('ASC'), down: await read('DESC') }),
    (around, lists): readonly UniversalJudgement<ComputeRequirementId>[] => {
      const refused = notAnswered(lists.up, sort_field) ?? notAnswered(lists.down, sort_field);
      return refused === undefined
        ? [...judge(lists), ...keeps(around, lists)]
        : [{ requirement: refusalOf, judgement: refused }];
    },
  );
  tell(t, verdicts);
  for (const { requirement, judgement } of verdicts) {
    if (judgement.seen === 0 && beside === NOTHING && requirement !== KEEPS_ITEMS)
      t.notExercised(requirement, `no two instances differ by ${sort_field}`);
  }
  const kept = verdicts.filter(({ requirement }) => requirement === KEEPS_ITEMS);
  if (kept.every(({ judgement }) => judgement.seen === 0)) t.notExercised(KEEPS_ITEMS, NOT_WHOLE);
}

export default computeSection('list-instances', (test) => {
  for (const [slug, sortField] of ordered) {
    const id = `compute.list-instances.${slug}` as const;
    test(
      `a sort by ${sortField} is in order in both directions`,
      { judges: [id, KEEPS_ITEMS], requests: 12 },
      async (t) => {
        const judge = (lists: Directions) => [
          { requirement: id, judgement: bothDirections(sortField, lists) },
        ];
        await judgeDirections(t, sortField, id, judge);
        const { records } = await wholeInstances(t, await boundedSubset(t), onePage).known();
        await Promise.all(
          besideQueries(sortField, records).map(async (query) =>
            judgeDirections(t, sortField, id, judge, query),
          ),
        );
      },
    );
  }

  test(
    'one direction is the reverse of the other',
    { judges: ['compute.list-instances.sort-reverse'], requests: 3 },
    async (t) =>
      judgeDirections(t, 'NAME', 'compute.list-instances.sort-reverse', ({ up, down }) => [
        {
          requirement: 'compute.list-instances.sort-reverse',
          judgement: opposite(
            sortedBy(up, (record) => record['name']),
            sortedBy(down, (record) => record['name']),
          ),
        },
      ]),
  );

  test(
    'without a direction a sort is descending',
    { judges: ['compute.list-instances.sort-default-direction'], requests: 3 },
    async (t) => {
      const part = await boundedSubset(t);
      const whole = wholeInstances(t, part, onePage);
      await having(whole, 2, 'instances');
      for (const sortField of ['NAME', 'REGION', 'HOURLY_RATE'] as const) {
        const [field, orders] = orderedSorts[sortField];
        const verdicts = await whole.against(
          async () => readInstances(t.api, { ...part, sort_field: sortField }, onePage),
          (_, list) => [
            {
              requirement: 'compute.list-instances.sort-default-direction' as const,
              judgement:
                notAnswered(list, sortField) ??
                bySomeOrder<CompareKeys>(orders, (compare) =>
                  inOrder(
                    sortedBy(list, (record) => record[field]),
                    'DESC',
                    compare,
                  ),
                ),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'without a direction a sort is the reverse of the ascending one',
    { judges: ['compute.list-instances.sort-default-direction'], requests: 12 },
    async (t) => {
      const id = 'compute.list-instances.sort-default-direction';
      const part = await boundedSubset(t);
      const whole = wholeInstances(t, part, onePage);
      await having(whole, 2, 'instances');
      // What has no stated order of its own, or moves, is held against the ascending list.
      for (const sort_field of ['GPU_TYPE', 'CURRENT_COST', 'SIZE', 'STATUS'] as const) {
        const verdicts = await whole.against(
          async () => ({
            up: await readInstances(t.api, { ...part, sort_field, sort_direction: 'ASC' }, onePage),
            down: await readInstances(t.api, { ...part, sort_field }, onePage),
          }),
          (_, { up, down }) => {
            const refused = notAnswered(up, sort_field) ?? notAnswered(down, sort_field);
            const judgement = refused ?? bothDirections(sort_field, { up, down });
            return [{ requirement: id, judgement }];
          },
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a sort neither adds nor drops instances',
    { judges: ['compute.list-instances.sort-keeps-items'], requests: 4 },
    async (t) => {
      const part = await boundedSubset(t);
      const whole = wholeInstances(t, part, onePage);
      const { end } = await having(whole, 2, 'instances');
      if (end !== 'last-page') throw new NotExercised('no page shows the whole of a list');
      // The other sorts are judged where they are read for their order.
      const read = async (sort_direction: SortDirection) =>
        readInstances(t.api, { ...part, sort_field: 'STATUS', sort_direction });
      const verdicts = await whole.against(
        async () => ({ up: await read('ASC'), down: await read('DESC') }),
        (around, lists) => keeps(around, lists),
      );
      tell(t, verdicts);
    },
  );
});
