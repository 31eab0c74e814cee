/** Paging, where a list fills its pages exactly: the place where walks end too early, or never. */

import { exactSizes } from '../../harness/checks/compute/exact-sizes.ts';
import { inReach, walkEnds } from '../../harness/checks/compute/extent.ts';
import { distinctTexts } from '../../harness/checks/compute/instance-query.ts';
import { withoutGaps } from '../../harness/checks/compute/sequence.ts';
import { instant } from '../../harness/session/compute/dating.ts';
import { readInstances } from '../../harness/session/compute/listing.ts';
import { computeSection } from '../../harness/session/compute/session.ts';
import { having, tell, wholeInstances } from '../../harness/session/compute/whole-lists.ts';

/** Lists, and sizes of page for each, that are tried. */
const LISTS = 3;
const SIZES = 2;
const MOST_PAGES = 12;

export default computeSection('pagination', (test) => {
  test(
    'a list that fills its pages exactly is given to its last instance, and ends',
    {
      judges: ['compute.pagination.walk-without-gaps', 'compute.pagination.walk-ends'],
      requests: 40,
    },
    async (t) => {
      // What is made from now on is outside: the list is to keep its length while it is walked.
      const until = { date_range_end: instant(Date.now()) };
      const { records } = await having(wholeInstances(t, until), 2, 'instances');
      const models = distinctTexts(records, 'gpu_type').map((gpu_type) => ({ ...until, gpu_type }));
      let tried = 0;
      for (const query of [until, ...models]) {
        const whole = wholeInstances(t, query);
        const { ids } = await whole.known();
        const sizes = exactSizes(ids.length, MOST_PAGES).slice(0, SIZES);
        if (sizes.length === 0) continue;
        for (const size of sizes) {
          const verdicts = await whole.against(
            async () => readInstances(t.api, query, { size, mostPages: MOST_PAGES + 1 }),
            (around, walked) => {
              const { bracket, walk } = inReach(around, walked);
              const still = { before: bracket.before.toSorted(), after: bracket.after.toSorted() };
              return [
                {
                  requirement: 'compute.pagination.walk-without-gaps' as const,
                  judgement: withoutGaps(still, walk),
                },
                {
                  requirement: 'compute.pagination.walk-ends' as const,
                  judgement: walkEnds(walked, around),
                },
              ];
            },
          );
          tell(t, verdicts);
        }
        tried += 1;
        if (tried >= LISTS) return;
      }
    },
  );
});
