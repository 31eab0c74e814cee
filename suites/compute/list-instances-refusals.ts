/** GET /instances: parameter values that are no good. */

import { instanceListParameters } from '../../schemas/compute/parameters.ts';
import { refusedWith } from '../../harness/checks/compute/answers.ts';
import { noCrash } from '../../harness/checks/compute/odd-request.ts';
import { amongInstanceFilters } from '../../harness/generate/beside.ts';
import { oddQuery } from '../../harness/generate/odd-query.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';

/** As they stand in the URL: NUL, percent sign, quotes, line break, an astral character, a broken escape. */
const oddQueries = ['region', 'gpu_type', 'free_text_search', 'cursor'].flatMap((name) =>
  ['%00', '%25', '%27%22%5C', '%0D%0A', '%F0%9F%9A%80', '%E0%A4'].map(
    (value) => `${name}=${value}`,
  ),
);

const refused = [
  ['status-unknown', [{ status: 'no-such-state' }, { status: 'runningx' }]],
  ['status-upper-case', [{ status: 'RUNNING' }]],
  ['status-not-offered', [{ status: 'stopping' }, { status: 'created' }]],
  [
    'date-invalid',
    [
      { date_range_begin: 'not-a-date' },
      { date_range_end: 'not-a-date' },
      { date_range_begin: '1700000000' },
      // Readers of dates agree on these; on the 30th of February and on leap seconds they do not.
      { date_range_begin: '2026-13-01T00:00:00Z' },
      { date_range_begin: '2026-01-00T00:00:00Z' },
      { date_range_begin: '2026-01-01T00:00:61Z' },
      { date_range_end: '2026-00-10T00:00:00Z' },
      { date_range_end: '2026-01-01T25:00:00Z' },
      { date_range_end: '2026-01-01T00:60:00Z' },
      { date_range_end: '2026-01-01T00:00:00+99:00' },
    ],
  ],
  // The last two are fields of the presets.
  [
    'sort-field-unknown',
    [{ sort_field: 'NO_SUCH_FIELD' }, { sort_field: 'HOURLY_PRICE' }, { sort_field: 'CPU' }],
  ],
  ['sort-direction-unknown', [{ sort_field: 'NAME', sort_direction: 'SIDEWAYS' }]],
] as const;

export default computeSection('list-instances', (test) => {
  for (const [slug, queries] of refused) {
    const id = `compute.list-instances.${slug}` as const;
    test(
      `${JSON.stringify(queries[0])} is refused`,
      { judges: [id], requests: 2 * queries.length },
      async (t) => {
        for (const query of queries.flatMap((one) => [one, amongInstanceFilters(one)])) {
          const what = `An instance list with ${JSON.stringify(query)}`;
          t.judge(id, refusedWith(await t.api.list(query), 400, what));
        }
      },
    );
  }

  test(
    'odd parameters never bring about a server error',
    { judges: ['compute.list-instances.odd-parameters'], requests: 44 },
    async (t) => {
      await t.property(
        'odd queries',
        oddQuery(...instanceListParameters),
        async (query, judge) => {
          const answer = await t.api.list(query);
          const plain = (answer.response?.status ?? 0) < 500 ? undefined : await t.api.list();
          judge('compute.list-instances.odd-parameters', noCrash(answer, plain, query));
        },
        { examples: oddQueries },
      );
    },
  );
});
