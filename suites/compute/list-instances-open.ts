/** GET /instances: what the contract leaves open is recorded, and never judged. */

import { itemsOf } from '../../harness/checks/compute/records.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { readInstances } from '../../harness/drivers/compute/listing.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { having, wholeInstances } from '../../harness/drivers/compute/whole-lists.ts';

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
] as const;

function told(query: string, answer: Exchange): string {
  const items = itemsOf(answer);
  const what = items === undefined ? '' : ` and ${items.length} items`;
  return `${query}: ${answer.response?.status ?? answer.ending}${what}`;
}

export default computeSection('list-instances', (test) => {
  for (const [slug, queries] of open) {
    const id = `compute.list-instances.${slug}` as const;
    test(
      `what ${queries[0]} does is recorded`,
      { judges: [id], requests: queries.length },
      async (t) => {
        for (const query of queries) {
          const answer = await t.api.list(query);
          t.record(id, told(query, answer), answer);
        }
      },
    );
  }

  test(
    'whether terminated instances stay listed is recorded',
    { judges: ['compute.list-instances.terminated-listed'], requests: 2 },
    async (t) => {
      const { records } = await having(wholeInstances(t), 1, 'instances');
      const terminated = await readInstances(t.api, { status: 'terminated' }, { mostPages: 1 });
      const listed = records.filter((record) => record['status'] === 'TERMINATED').length;
      t.record(
        'compute.list-instances.terminated-listed',
        `${listed} of ${terminated.ids.length} terminated instances are in the unfiltered list`,
        terminated.exchanges[0],
      );
    },
  );
});
