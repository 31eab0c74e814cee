/** GET /instances: what a filter shows is a part of the whole list, also while others change the account. */

import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { distinctTexts } from '../../harness/checks/collection/chosen-values.ts';
import { listedBetween } from '../../harness/checks/collection/filter.ts';
import {
  type Listing,
  type ListQuery,
  readInstances,
  WHOLE_PAGES,
} from '../../harness/drivers/collection/reading.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { boundedSubset } from '../../harness/drivers/collection/dating.ts';
import { having, wholeInstances } from '../../harness/drivers/collection/whole-list.ts';
import { retry } from '../../harness/runner/retry.ts';

/** GPU models that are tried. */
const TRIED_MODELS = 4;
/** An item may slip from one page to another while a list is walked over once. */
const WALKS = 2;
const statuses = ['running', 'stopped', 'errored'] as const;

export default computeSection('list-instances', (test) => {
  test(
    'what a filter shows before and after stands in the whole list in between',
    {
      judges: [
        'compute.list-instances.status-running',
        'compute.list-instances.status-stopped',
        'compute.list-instances.status-errored',
        'compute.list-instances.region-filter',
        'compute.list-instances.gpu-type-filter',
      ],
      requests: 32,
    },
    async (t) => {
      const { records, end } = await having(wholeInstances(t), 1, 'instances');
      // Of an account that is too large to be seen whole, its newest part is.
      const shown = end === 'last-page' ? {} : await boundedSubset(t);
      const models = distinctTexts(records, 'gpu_type').slice(0, TRIED_MODELS);
      const queries: readonly (readonly [ComputeRequirementId, ListQuery])[] = [
        ...statuses.map(
          (status) => [`compute.list-instances.status-${status}`, { status }] as const,
        ),
        ...regionCodes.map(
          (region) => ['compute.list-instances.region-filter', { region }] as const,
        ),
        ...models.map(
          (model) => ['compute.list-instances.gpu-type-filter', { gpu_type: model }] as const,
        ),
      ];
      const read = async () => {
        const parts = [];
        for (const [, query] of queries) {
          parts.push(await readInstances(t.api, { ...shown, ...query }));
        }
        return parts;
      };
      const before = await read();
      // A list that is a copy of what the filters look at may be behind: only what it never shows is hidden.
      const wholes: Listing[] = [];
      const judgements = await retry(
        t,
        'copyCatchesUp',
        async () => {
          for (let n = 0; n < WALKS; n += 1) {
            wholes.push(await readInstances(t.api, shown, { mostPages: WHOLE_PAGES }));
          }
          const after = await read();
          return queries.flatMap(([requirement, query], index) => {
            const [first, later] = [before[index], after[index]];
            if (first === undefined || later === undefined) return [];
            const filter = JSON.stringify({ ...shown, ...query });
            const judgement = listedBetween(first, wholes, later, filter);
            return [{ requirement, judgement }];
          });
        },
        (all) => all.every(({ judgement }) => judgement.violations.length === 0),
      );
      const told = judgements.filter(({ judgement }) => judgement.seen > 0);
      for (const { requirement, judgement } of told) t.judge(requirement, judgement);
      for (const [requirement] of queries) {
        if (told.some((one) => one.requirement === requirement)) continue;
        t.notExercised(requirement, 'no instance stood in the list while it was read');
      }
    },
  );
});
