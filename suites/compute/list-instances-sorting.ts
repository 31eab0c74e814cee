/** GET /instances: sorts by every field, in both directions. */

import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import { instanceSortFields } from '../../schemas/compute/list-instances.ts';
import { type Part, notAnswered } from '../../harness/checks/compute/selection.ts';
import { sameItems } from '../../harness/checks/compute/sequence.ts';
import { oppositeBySize } from '../../harness/checks/compute/sort-size.ts';
import {
  type CompareKeys,
  compareNumbers,
  compareTexts,
} from '../../harness/checks/compute/sort-key.ts';
import {
  type SortDirection,
  type SortedList,
  inOrder,
  opposite,
} from '../../harness/checks/compute/sorting.ts';
import { together } from '../../harness/checks/judgement.ts';
import type { UniversalJudgement } from '../../harness/checks/universal.ts';
import { type Listing, readInstances } from '../../harness/session/compute/listing.ts';
import { type ComputeContext, computeSection } from '../../harness/session/compute/session.ts';
import { surveyable } from '../../harness/session/compute/surveyable.ts';
import { having, tell, wholeInstances } from '../../harness/session/compute/whole-lists.ts';
import { NotExercised } from '../../harness/suite/signals.ts';

type RecordOf = Part['records'][number];

/** Costs move while a page is made: less than a hundredth of a credit is no difference. */
const compareCosts: CompareKeys = (left, right) =>
  typeof left === 'number' && typeof right === 'number' && Math.abs(left - right) <= 0.01
    ? 0
    : compareNumbers(left, right);

const ordered = [
  ['sort-name', 'NAME', 'name', compareTexts],
  ['sort-gpu-type', 'GPU_TYPE', 'gpu_type', compareTexts],
  ['sort-region', 'REGION', 'region', compareTexts],
  ['sort-hourly-rate', 'HOURLY_RATE', 'hourly_rate', compareNumbers],
  ['sort-current-cost', 'CURRENT_COST', 'current_cost', compareCosts],
] as const;

function sortedBy(list: Listing, keyOf: (record: RecordOf) => unknown): SortedList {
  const items = list.records.map((record, index) => ({
    id: list.ids[index] ?? '',
    key: keyOf(record),
  }));
  return { items, exchanges: list.exchanges };
}

/** One page of a sorted list, of the newest instances of a large account; walks are judged under pagination. */
const onePage = { mostPages: 1 } as const;

interface Directions {
  readonly up: Listing;
  readonly down: Listing;
}

/** Reads both directions and judges them; what looks wrong is read again. */
async function judgeDirections<Id extends ComputeRequirementId>(
  t: ComputeContext,
  sort_field: string,
  refusalOf: Id,
  judge: (lists: Directions) => readonly UniversalJudgement<Id>[],
): Promise<void> {
  const part = await surveyable(t);
  const whole = wholeInstances(t, part, onePage);
  await having(whole, 2, 'instances');
  const read = async (sort_direction: SortDirection) =>
    readInstances(t.api, { ...part, sort_field, sort_direction }, onePage);
  const verdicts = await whole.against(
    async () => ({ up: await read('ASC'), down: await read('DESC') }),
    (_, lists) => {
      const refused = notAnswered(lists.up, sort_field) ?? notAnswered(lists.down, sort_field);
      return refused === undefined
        ? judge(lists)
        : [{ requirement: refusalOf, judgement: refused }];
    },
  );
  tell(t, verdicts);
  for (const { requirement, judgement } of verdicts) {
    if (judgement.seen === 0) t.lacking(requirement, `no two instances differ by ${sort_field}`);
  }
}

export default computeSection('list-instances', (test) => {
  for (const [slug, sortField, field, compare] of ordered) {
    const id = `compute.list-instances.${slug}` as const;
    test(
      `a sort by ${sortField} is in order in both directions`,
      { judges: [id], requests: 3 },
      async (t) =>
        judgeDirections(t, sortField, id, (lists) => {
          const up = sortedBy(lists.up, (record) => record[field]);
          const down = sortedBy(lists.down, (record) => record[field]);
          const judgement = together(inOrder(up, 'ASC', compare), inOrder(down, 'DESC', compare));
          return [{ requirement: id, judgement }];
        }),
    );
  }

  test(
    'a sort by SIZE is the same in both directions, reversed',
    { judges: ['compute.list-instances.sort-size'], requests: 3 },
    async (t) =>
      judgeDirections(t, 'SIZE', 'compute.list-instances.sort-size', (lists) => [
        {
          requirement: 'compute.list-instances.sort-size',
          judgement: oppositeBySize((weight) => ({
            up: sortedBy(lists.up, weight),
            down: sortedBy(lists.down, weight),
          })),
        },
      ]),
  );

  test(
    'a sort by STATUS is the same in both directions, reversed',
    { judges: ['compute.list-instances.sort-status'], requests: 3 },
    async (t) =>
      judgeDirections(t, 'STATUS', 'compute.list-instances.sort-status', ({ up, down }) => [
        {
          requirement: 'compute.list-instances.sort-status',
          judgement: opposite(
            sortedBy(up, (record) => record['status']),
            sortedBy(down, (record) => record['status']),
          ),
        },
      ]),
  );

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
      const part = await surveyable(t);
      const whole = wholeInstances(t, part, onePage);
      await having(whole, 2, 'instances');
      for (const [, sortField, field, compare] of ordered) {
        if (sortField === 'CURRENT_COST') continue;
        const verdicts = await whole.against(
          async () => readInstances(t.api, { ...part, sort_field: sortField }, onePage),
          (_, list) => [
            {
              requirement: 'compute.list-instances.sort-default-direction' as const,
              judgement:
                notAnswered(list, sortField) ??
                inOrder(
                  sortedBy(list, (record) => record[field]),
                  'DESC',
                  compare,
                ),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a sort neither adds nor drops instances',
    { judges: ['compute.list-instances.sort-keeps-items'], requests: 9 },
    async (t) => {
      const part = await surveyable(t);
      const whole = wholeInstances(t, part, onePage);
      const { end } = await having(whole, 2, 'instances');
      if (end !== 'last-page') throw new NotExercised('no page shows the whole of a list');
      for (const sort_field of Object.keys(instanceSortFields)) {
        const verdicts = await whole.against(
          async () => readInstances(t.api, { ...part, sort_field, sort_direction: 'ASC' }),
          ({ before, after }, list) => [
            {
              requirement: 'compute.list-instances.sort-keeps-items' as const,
              judgement:
                notAnswered(list, sort_field) ??
                sameItems({ before: before.ids, after: after.ids }, list),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );
});
