/** GET /instances: status, region and GPU filters, each alone, against the full list. */

import { regionCodes } from '../../schemas/compute/regions.ts';
import { statusFilters } from '../../schemas/compute/list-instances.ts';
import { answeredWith, answeredWithOneOf } from '../../harness/checks/compute/answers.ts';
import { inListOrder, selects, selectsNone } from '../../harness/checks/collection/filter.ts';
import { wildcardsFor } from '../../harness/checks/collection/search.ts';
import { disjoint } from '../../harness/checks/collection/walk.ts';
import { unknownRegions } from '../../harness/generate/lists.ts';
import {
  having,
  readFiltered,
  tell,
  wholeInstances,
  WholeList,
} from '../../harness/drivers/collection/whole-list.ts';
import { type ListQuery, readInstances } from '../../harness/drivers/collection/reading.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { distinctTexts } from '../../harness/checks/collection/chosen-values.ts';
import { NotExercised } from '../../harness/runner/case.ts';

const statuses = ['running', 'stopped', 'terminated', 'errored'] as const;
type Status = (typeof statuses)[number];
const NEWEST_FIRST = 'compute.list-instances.newest-first-filtered';
/** Distinct GPU models that are tried: an instance may be missing from one alone. */
const TRIED_VALUES = 20;
/** Distinct GPU models that are held against each other. */
const COMPARED_VALUES = 4;

/** Reads the same parts twice over and judges that no instance stands in two of them. */
async function judgeDisjoint(
  t: ComputeContext,
  id: `compute.list-instances.${'status' | 'region' | 'gpu-type'}-disjoint`,
  queries: readonly ListQuery[],
): Promise<void> {
  const whole = wholeInstances(t);
  const read = async () => {
    const parts = [];
    for (const query of queries) parts.push(await readInstances(t.api, query));
    return parts;
  };
  const verdicts = await whole.against(
    async () => ({ parts: await read(), again: await read() }),
    (_, { parts, again }) =>
      parts.flatMap((first, index) =>
        parts.slice(index + 1).map((second) => ({
          requirement: id,
          judgement: disjoint(first, second, again[index] ?? first),
        })),
      ),
  );
  tell(t, verdicts);
  if (verdicts.every(({ judgement }) => judgement.seen === 0)) {
    t.notExercised(id, 'the account has no instances under two of the values');
  }
}

export default computeSection('list-instances', (test) => {
  for (const status of statuses) {
    const id = `compute.list-instances.status-${status}` as const;
    test(
      `the status filter ${status} gives the ${statusFilters[status]} instances`,
      { judges: [id], requests: 3 },
      async (t) => {
        const whole = wholeInstances(t);
        const verdicts = await whole.against(
          async () => readFiltered(t, whole, { status }),
          (around, { part, isTied }) => [
            {
              requirement: id,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record['status'] === statusFilters[status],
                filter: `status=${status}`,
                withinFull: status !== 'terminated',
              }),
            },
            { requirement: NEWEST_FIRST, judgement: inListOrder(around, part, isTied) },
          ],
        );
        tell(t, verdicts);
        if (verdicts.some(({ requirement, judgement }) => requirement === id && judgement.seen > 0))
          return;
        t.notExercised(id, `no instance of the account was ${statusFilters[status]}`);
      },
    );
  }

  test(
    'a filter counts on the smallest page, too',
    {
      judges: [
        'compute.list-instances.status-running',
        'compute.list-instances.status-stopped',
        'compute.list-instances.status-terminated',
        'compute.list-instances.status-errored',
      ],
      requests: 6,
    },
    async (t) => {
      const whole = wholeInstances(t);
      await having(whole, 1, 'instances');
      for (const status of statuses) {
        const verdicts = await whole.againstOne(
          async () => readInstances(t.api, { status }, { size: 1, mostPages: 1 }),
          (around, part) => [
            {
              requirement: `compute.list-instances.status-${status}` as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record['status'] === statusFilters[status],
                filter: `status=${status}&size=1`,
                withinFull: status !== 'terminated',
              }),
            },
          ],
        );
        tell(t, verdicts);
        if (verdicts.length > 0 && verdicts.every(({ judgement }) => judgement.seen === 0)) {
          t.notExercised(
            `compute.list-instances.status-${status}`,
            `no instance of the account was ${statusFilters[status]}`,
          );
        }
      }
    },
  );

  test(
    'no instance stands under two status filters',
    { judges: ['compute.list-instances.status-disjoint'], requests: 9 },
    async (t) =>
      judgeDisjoint(
        t,
        'compute.list-instances.status-disjoint',
        statuses.map((status) => ({ status })),
      ),
  );

  test(
    'a region code gives the instances that run there',
    {
      judges: ['compute.list-instances.region-filter', 'compute.list-instances.region-disjoint'],
      requests: 12,
    },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 1, 'instances');
      const shown = new Set(distinctTexts(records, 'region'));
      if (!regionCodes.some((code) => shown.has(code))) {
        throw new NotExercised('no instance shows a region code');
      }
      for (const region of regionCodes) {
        const verdicts = await whole.against(
          async () => readFiltered(t, whole, { region }),
          (around, { part, isTied }) => [
            {
              requirement: 'compute.list-instances.region-filter' as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record['region'] === region,
                filter: `region=${region}`,
              }),
            },
            { requirement: NEWEST_FIRST, judgement: inListOrder(around, part, isTied) },
          ],
        );
        tell(t, verdicts);
      }
      await judgeDisjoint(
        t,
        'compute.list-instances.region-disjoint',
        regionCodes.map((region) => ({ region })),
      );
    },
  );

  test(
    'a region that does not exist is accepted and selects nothing',
    {
      judges: [
        'compute.list-instances.region-unknown-empty',
        'compute.list-instances.region-unknown-accepted',
      ],
      requests: 1 + unknownRegions.length,
    },
    async (t) => {
      const whole = wholeInstances(t);
      await having(whole, 1, 'instances');
      for (const region of unknownRegions) {
        const part = await readInstances(t.api, { region });
        const [page] = part.exchanges;
        t.judge(
          'compute.list-instances.region-unknown-empty',
          selectsNone(await whole.known(), part, `region=${region}`),
        );
        if (page === undefined) continue;
        t.judge(
          'compute.list-instances.region-unknown-accepted',
          answeredWith(page, 200, `The region filter ${region}`),
        );
      }
    },
  );

  test(
    'a GPU model gives the instances on that model',
    {
      judges: [
        'compute.list-instances.gpu-type-filter',
        'compute.list-instances.gpu-type-disjoint',
        NEWEST_FIRST,
      ],
      requests: 14,
    },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 1, 'instances');
      const models = distinctTexts(records, 'gpu_type').slice(0, TRIED_VALUES);
      let ordered = 0;
      for (const model of models) {
        const verdicts = await whole.against(
          async () => readFiltered(t, whole, { gpu_type: model }),
          (around, { part, isTied }) => [
            {
              requirement: 'compute.list-instances.gpu-type-filter' as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record['gpu_type'] === model,
                filter: `gpu_type=${model}`,
              }),
            },
            { requirement: NEWEST_FIRST, judgement: inListOrder(around, part, isTied) },
          ],
        );
        tell(t, verdicts);
        for (const { requirement, judgement } of verdicts)
          if (requirement === NEWEST_FIRST) ordered += judgement.seen;
      }
      if (ordered === 0) t.notExercised(NEWEST_FIRST, 'no two instances are on one GPU model');
      await judgeDisjoint(
        t,
        'compute.list-instances.gpu-type-disjoint',
        models.slice(0, COMPARED_VALUES).map((model) => ({ gpu_type: model })),
      );
    },
  );

  test(
    'filters hold for another account as well',
    {
      judges: ['compute.list-instances.region-filter', 'compute.list-instances.gpu-type-filter'],
      needs: ['keys.second'],
      requests: 7,
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
        const verdicts = await whole.against(
          async () => readInstances(t.api, query, as),
          (around, part) => [
            {
              requirement,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record[field] === meant,
                filter: `${JSON.stringify(query)} with keys.second`,
                withinFull: value !== 'terminated',
              }),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a GPU model that nobody has selects nothing',
    {
      judges: [
        'compute.list-instances.gpu-type-unknown',
        'compute.list-instances.gpu-type-unknown-answer',
      ],
      requests: 9,
    },
    async (t) => {
      const whole = await having(wholeInstances(t), 1, 'instances');
      const models = distinctTexts(whole.records, 'gpu_type');
      // What a model begins with is no model.
      const beginnings = models.flatMap((model) => Array.from(model).slice(0, 1));
      const beginning = beginnings.find((text) => /^[a-z]$/iu.test(text) && !models.includes(text));
      const [model = ''] = models;
      for (const gpu_type of ['No Such GPU 0', beginning, ...wildcardsFor(model)]) {
        if (gpu_type === undefined || models.includes(gpu_type)) continue;
        const part = await readInstances(t.api, { gpu_type });
        t.judge(
          'compute.list-instances.gpu-type-unknown',
          selectsNone(whole, part, `gpu_type=${gpu_type}`),
        );
        // Whether it takes any model at all is its own choice; a list that has nothing is there all the same.
        for (const page of part.exchanges.slice(0, 1)) {
          t.judge(
            'compute.list-instances.gpu-type-unknown-answer',
            answeredWithOneOf(page, [200, 400], `The GPU filter ${gpu_type}`),
          );
        }
      }
    },
  );
});
