/** GET /instances: that it answers, and the bounds of its page size. */

import { instancePageSize } from '../../schemas/compute/list-instances.ts';
import { answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { nextCursor } from '../../harness/checks/compute/next-cursor.ts';
import { madeForDefault, servesPage } from '../../harness/checks/compute/page-size.ts';
import { amongInstanceFilters } from '../../harness/generate/beside.ts';
import { negativeSize, servedSize, sizeAbove } from '../../harness/generate/page-size.ts';
import type { ListQuery } from '../../harness/drivers/compute/listing.ts';
import { refusedOnLaterPages } from '../../harness/drivers/compute/later-size.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';

const refusedSizes = [
  ['size-zero', ['0']],
  ['size-negative', ['-1', '-200']],
  ['size-above-maximum', ['201', '1000']],
  // 2^31 and 2^32 + 1 wrap around in 32 bits, 2^63 and 2^64 + 1 in 64.
  ['size-overflow', ['2147483648', '4294967297', '9223372036854775808', '18446744073709551617']],
  ['size-fraction', ['1.5']],
  ['size-not-a-number', ['abc', '10abc']],
] as const;

/** A bound may be forgotten where something else is asked for. */
const beside = [
  {},
  { sort_field: 'NAME' },
  { status: 'running' },
  { region: 'US', free_text_search: 'a' },
] as const;

export default computeSection('list-instances', (test) => {
  test(
    'the list is answered, without any parameter and with a size',
    {
      judges: ['compute.list-instances.answers-200', 'compute.list-instances.parameters-optional'],
      requests: 2,
    },
    async (t) => {
      const bare = await t.api.list();
      t.judge(
        'compute.list-instances.parameters-optional',
        answeredWith(bare, 200, 'The instance list without parameters'),
      );
      const sized = await t.api.list({ size: 10 });
      t.judge('compute.list-instances.answers-200', answeredWith(sized, 200, 'The instance list'));
    },
  );

  test(
    'without a size, a page is made for 50 items',
    { judges: ['compute.list-instances.size-default'], requests: 4 },
    async (t) => {
      const first = await t.api.list();
      const judgement = madeForDefault(first, instancePageSize.standard);
      t.judge('compute.list-instances.size-default', judgement);
      const cursor = nextCursor(first);
      const further: readonly ListQuery[] = [
        { status: 'running' },
        { sort_field: 'NAME' },
        ...(typeof cursor === 'string' ? [{ cursor }] : []),
      ];
      for (const query of further) {
        t.judge(
          'compute.list-instances.size-default',
          madeForDefault(await t.api.list(query), instancePageSize.standard),
        );
      }
      if (judgement.seen > 0) return;
      t.notExercised(
        'compute.list-instances.size-default',
        'on an account with fewer than 50 instances only a size of 50 in the answer tells',
      );
    },
  );

  for (const [slug, size] of [
    ['size-minimum', instancePageSize.minimum],
    ['size-maximum', instancePageSize.maximum],
  ] as const) {
    test(
      `a page of ${size} is served`,
      { judges: [`compute.list-instances.${slug}`], requests: 1 },
      async (t) => {
        const page = await t.api.list({ size });
        t.judge(`compute.list-instances.${slug}`, servesPage(page, size));
      },
    );
  }

  for (const [slug, sizes] of refusedSizes) {
    test(
      `sizes such as ${sizes[0]} are refused (${slug})`,
      { judges: [`compute.list-instances.${slug}`], requests: 2 * sizes.length },
      async (t) => {
        for (const query of sizes.flatMap((size) => [{ size }, amongInstanceFilters({ size })])) {
          const what = `An instance list with ${JSON.stringify(query)}`;
          t.judge(
            `compute.list-instances.${slug}`,
            refusedWith(await t.api.list(query), 400, what),
          );
        }
      },
    );
  }

  test(
    'every size between the bounds is served, and tells itself',
    {
      judges: ['compute.list-instances.answers-200', 'compute.pagination.size-type'],
      requests: 10,
    },
    async (t) => {
      await t.property(
        'sizes within bounds',
        servedSize(instancePageSize),
        async (size, judge) => {
          const page = await t.api.list({ size });
          judge('compute.list-instances.answers-200', servesPage(page, size));
        },
        { weight: 0.4, examples: [2, 199] },
      );
    },
  );

  test(
    'no whole number out of bounds is taken for a size',
    {
      judges: ['compute.list-instances.size-above-maximum', 'compute.list-instances.size-negative'],
      requests: 23,
    },
    async (t) => {
      t.judge(
        'compute.list-instances.size-above-maximum',
        await refusedOnLaterPages(async (query) => t.api.list(query), instancePageSize.maximum + 1),
      );
      for (const [id, sizes] of [
        ['size-above-maximum', sizeAbove(instancePageSize.maximum)],
        ['size-negative', negativeSize],
      ] as const) {
        await t.property(
          id,
          sizes,
          async (size, judge) => {
            const query = { size, ...beside[Number(size.at(-1)) % beside.length] };
            const what = `An instance list with ${JSON.stringify(query)}`;
            judge(`compute.list-instances.${id}`, refusedWith(await t.api.list(query), 400, what));
          },
          { weight: 0.5 },
        );
      }
    },
  );
});
