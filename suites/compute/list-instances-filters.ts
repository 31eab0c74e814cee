/** GET /instances: status, region and GPU filters, each alone, against the full list. */

import { regionCodes } from '../../schemas/compute/regions.ts';
import { statusFilters } from '../../schemas/compute/list-instances.ts';
import { answeredWith } from '../../harness/checks/compute/answers.ts';
import { selects, selectsNone } from '../../harness/checks/compute/selection.ts';
import { disjoint } from '../../harness/checks/compute/sequence.ts';
import { type ListQuery, readInstances } from '../../harness/session/compute/listing.ts';
import { type ComputeContext, computeSection } from '../../harness/session/compute/session.ts';
import { having, tell, wholeInstances } from '../../harness/session/compute/whole-lists.ts';
import { distinctTexts } from '../../harness/checks/compute/instance-query.ts';

const statuses = ['running', 'stopped', 'terminated', 'errored'] as const;
/** Distinct values of one field that are tried. */
const TRIED_VALUES = 4;

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
    t.lacking(id, 'the account has no instances under two of the values');
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
          async () => readInstances(t.api, { status }),
          (around, part) => [
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
          ],
        );
        tell(t, verdicts);
        if (verdicts.some(({ judgement }) => judgement.seen > 0)) return;
        t.lacking(id, `no instance of the account was ${statusFilters[status]}`);
      },
    );
  }

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
      await having(whole, 1, 'instances');
      for (const region of regionCodes) {
        const verdicts = await whole.against(
          async () => readInstances(t.api, { region }),
          (around, part) => [
            {
              requirement: 'compute.list-instances.region-filter' as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record['region'] === region,
                filter: `region=${region}`,
              }),
            },
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
      requests: 3,
    },
    async (t) => {
      const whole = wholeInstances(t);
      await having(whole, 1, 'instances');
      for (const region of ['NOWHERE', 'no such-place-1']) {
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
      ],
      requests: 14,
    },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 1, 'instances');
      const models = distinctTexts(records, 'gpu_type').slice(0, TRIED_VALUES);
      for (const model of models) {
        const verdicts = await whole.against(
          async () => readInstances(t.api, { gpu_type: model }),
          (around, part) => [
            {
              requirement: 'compute.list-instances.gpu-type-filter' as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record['gpu_type'] === model,
                filter: `gpu_type=${model}`,
              }),
            },
          ],
        );
        tell(t, verdicts);
      }
      await judgeDisjoint(
        t,
        'compute.list-instances.gpu-type-disjoint',
        models.map((model) => ({ gpu_type: model })),
      );
    },
  );

  test(
    'a GPU model that nobody has selects nothing',
    { judges: ['compute.list-instances.gpu-type-unknown'], requests: 2 },
    async (t) => {
      const whole = await having(wholeInstances(t), 1, 'instances');
      const part = await readInstances(t.api, { gpu_type: 'No Such GPU 0' });
      t.judge(
        'compute.list-instances.gpu-type-unknown',
        selectsNone(whole, part, 'gpu_type=No Such GPU 0'),
      );
    },
  );
});
