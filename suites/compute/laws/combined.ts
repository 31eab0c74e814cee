/** Combined instance filters: they select what every one of them selects alone, in the order of the list. */

import { inListOrder, selects } from '../../../harness/checks/collection/filter.ts';
import type { WireRecord } from '../../../harness/checks/compute/records.ts';
import {
  compareOne,
  type Define,
  type Id,
  lacking,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import type { ListQuery } from '../../../harness/drivers/collection/reading.ts';
import { instances } from '../collections.ts';
import { combinations, conditionOf } from './combinations.ts';
import { readInOrder } from './filters.ts';

const COMBINES = 'compute.list-instances.filters-combine' as const;
const ORDERED = 'compute.list-instances.newest-first-filtered' as const;

/** Combined filters select the intersection of their results. */
export function filtersCombined(test: Define): void {
  test(
    'filters together give what each gives alone, in the order of the list',
    { judges: [COMBINES, ORDERED] },
    async (t) => {
      const { shown, combined } = await combinations.of(t);
      const whole = wholeOf(t, instances, shown);
      const seen = new Set<Id>();
      for (const queries of t.some(combined, 6)) {
        const query: ListQuery = Object.assign({}, shown, ...queries);
        let isReadAnew = false;
        const judged = compareOne(
          t,
          whole,
          async () => {
            const conditions = [];
            for (const one of queries)
              conditions.push(await conditionOf(t, shown, one, isReadAnew));
            isReadAnew = true;
            return { conditions, ...(await readInOrder(t, instances, whole, query)) };
          },
          (around, { conditions, part, isTied }) => {
            const matches = (record: WireRecord) => conditions.every(({ means }) => means(record));
            const filter = JSON.stringify(query);
            return [
              { requirement: COMBINES, judgement: selects({ ...around, part, matches, filter }) },
              { requirement: ORDERED, judgement: inListOrder(around, part, isTied) },
            ];
          },
        );
        for (const id of await judged) seen.add(id);
      }
      lacking(
        t,
        [COMBINES, ORDERED],
        seen,
        'the instances differ in too little for two filters, or changed each time',
      );
    },
  );
}
