/** GET /presets: that it answers, and the bounds of its parameters. */

import { freeTextLength } from '../../schemas/compute/list-instances.ts';
import { presetListParameters } from '../../schemas/compute/parameters.ts';
import { presetPageSize } from '../../schemas/compute/presets.ts';
import { accepted, refusedWith } from '../../harness/checks/compute/answers.ts';
import { fieldsThere } from '../../harness/checks/compute/presets.ts';
import { lastPageIsNull } from '../../harness/checks/compute/last-page.ts';
import { noCrash } from '../../harness/checks/compute/odd-request.ts';
import { amongPresetFilters } from '../../harness/generate/beside.ts';
import { oddQuery } from '../../harness/generate/odd-query.ts';
import { oddText, oddTexts } from '../../harness/generate/odd-text.ts';
import { negativeSize, servedSize, sizeAbove } from '../../harness/generate/page-size.ts';
import { refusedOnLaterPages } from '../../harness/drivers/compute/later-size.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { having, wholePresets } from '../../harness/drivers/compute/whole-lists.ts';

const refused = [
  ['size-zero', [{ size: '0' }]],
  ['size-negative', [{ size: '-1' }, { size: '-200' }]],
  ['size-above-maximum', [{ size: '201' }, { size: '1000' }]],
  // 2^31 and 2^32 + 1 wrap around in 32 bits, 2^63 and 2^64 + 1 in 64.
  [
    'size-overflow',
    [
      { size: '2147483648' },
      { size: '4294967297' },
      { size: '9223372036854775808' },
      { size: '18446744073709551617' },
    ],
  ],
  ['size-fraction', [{ size: '1.5' }]],
  ['size-not-a-number', [{ size: 'abc' }, { size: '10abc' }]],
  // The last two are fields of instances.
  [
    'sort-field-unknown',
    [{ sort_field: 'NO_SUCH_FIELD' }, { sort_field: 'NAME' }, { sort_field: 'STATUS' }],
  ],
  ['sort-direction-unknown', [{ sort_field: 'HOURLY_PRICE', sort_direction: 'SIDEWAYS' }]],
] as const;

export default computeSection('presets', (test) => {
  test(
    'the presets are answered, without any parameter and with a size',
    {
      judges: [
        'compute.presets.answers',
        'compute.presets.parameters-optional',
        // Judged on every page of presets: this case is the one that a selection of it needs.
        'compute.pagination.object-on-presets',
      ],
      requests: 2,
    },
    async (t) => {
      const bare = await t.api.presets();
      t.judge('compute.presets.parameters-optional', accepted(bare, 'A read of the presets'));
      const sized = await t.api.presets({ size: 10 });
      t.judge('compute.presets.answers', accepted(sized, 'A read of 10 presets'));
    },
  );

  test(
    'every preset carries its price',
    { judges: ['compute.presets.price-there'], requests: 1 },
    // The checks of every exchange judge it: the case only brings presets about.
    async (t) => {
      await having(wholePresets(t), 1, 'presets');
    },
  );

  test(
    'every preset says what it is',
    { judges: ['compute.presets.fields-there'], requests: 1 },
    async (t) => {
      const list = await having(wholePresets(t), 1, 'presets');
      judgeOrLack(
        t,
        'compute.presets.fields-there',
        fieldsThere(list, t.bindings),
        'the target file names no field of a preset',
      );
    },
  );

  for (const [slug, size] of [
    ['size-minimum', presetPageSize.minimum],
    ['size-maximum', presetPageSize.maximum],
  ] as const) {
    const id = `compute.presets.${slug}` as const;
    test(`a page of ${size} is served`, { judges: [id], requests: 1 }, async (t) => {
      t.judge(id, accepted(await t.api.presets({ size }), `A preset page of ${size}`));
    });
  }

  for (const [slug, queries] of refused) {
    const id = `compute.presets.${slug}` as const;
    test(
      `presets with ${JSON.stringify(queries[0])} are refused`,
      { judges: [id], requests: 2 * queries.length },
      async (t) => {
        for (const query of queries.flatMap((one) => [one, amongPresetFilters(one, t.bindings)])) {
          const what = `A preset list with ${JSON.stringify(query)}`;
          t.judge(id, refusedWith(await t.api.presets(query), 400, what));
        }
      },
    );
  }

  test(
    'every size between the bounds is served, and none beyond',
    {
      judges: [
        'compute.presets.answers',
        'compute.presets.size-above-maximum',
        'compute.presets.size-negative',
      ],
      requests: 18,
    },
    async (t) => {
      t.judge(
        'compute.presets.size-above-maximum',
        await refusedOnLaterPages(
          async (query) => t.api.presets(query),
          presetPageSize.maximum + 1,
        ),
      );
      const weight = { weight: 0.25 };
      const within = servedSize(presetPageSize);
      const what = (size: number | string) => `A preset list of size ${size}`;
      await t.property(
        'preset sizes within bounds',
        within,
        async (size, judge) => {
          judge('compute.presets.answers', accepted(await t.api.presets({ size }), what(size)));
        },
        weight,
      );
      for (const [slug, sizes] of [
        ['size-above-maximum', sizeAbove(presetPageSize.maximum)],
        ['size-negative', negativeSize],
      ] as const) {
        await t.property(
          `presets ${slug}`,
          sizes,
          async (size, judge) => {
            const refusal = await t.api.presets({ size });
            judge(`compute.presets.${slug}`, refusedWith(refusal, 400, what(size)));
          },
          weight,
        );
      }
    },
  );

  test(
    'a preset search may have 255 characters',
    { judges: ['compute.presets.free-text-maximum'], requests: 1 },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      const answer = await t.api.presets({ [name]: 'q'.repeat(freeTextLength) });
      t.judge(
        'compute.presets.free-text-maximum',
        accepted(answer, 'A preset search for 255 characters'),
      );
    },
  );

  test(
    'a preset search may not have more than 255 characters',
    { judges: ['compute.presets.free-text-too-long'], requests: 4 },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      for (const length of [freeTextLength + 1, 4 * freeTextLength]) {
        const query = { [name]: 'q'.repeat(length) };
        for (const refusal of [
          await t.api.presets(query),
          await t.api.presets(amongPresetFilters(query, t.bindings)),
        ]) {
          t.judge(
            'compute.presets.free-text-too-long',
            refusedWith(refusal, 400, `A preset search for ${length} characters`),
          );
        }
      }
    },
  );

  test(
    'odd cursors of presets never bring about a server error',
    { judges: ['compute.presets.garbage-cursor-no-5xx'], requests: 32 },
    async (t) => {
      await t.property(
        'odd preset cursors',
        oddText,
        async (cursor, judge) => {
          const answer = await t.api.presets({ cursor });
          const plain = (answer.response?.status ?? 0) < 500 ? undefined : await t.api.presets();
          judge('compute.presets.garbage-cursor-no-5xx', noCrash(answer, plain, cursor));
        },
        { weight: 0.25, examples: oddTexts },
      );
    },
  );

  test(
    'odd parameters of presets never bring about a server error',
    { judges: ['compute.presets.odd-parameters'], requests: 20 },
    async (t) => {
      const { sku, freeText } = t.bindings.presets?.filters ?? {};
      const names = [...presetListParameters, sku, freeText].filter((name) => name !== undefined);
      await t.property(
        'odd preset queries',
        oddQuery(...names),
        async (query, judge) => {
          const answer = await t.api.presets(query);
          const plain = (answer.response?.status ?? 0) < 500 ? undefined : await t.api.presets();
          judge('compute.presets.odd-parameters', noCrash(answer, plain, query));
        },
        { weight: 0.5 },
      );
    },
  );

  test(
    'the default page size of presets is recorded',
    { judges: ['compute.presets.size-default'], requests: 1 },
    async (t) => {
      const answer = await t.api.presets();
      const { size } = lastPageIsNull(answer, undefined);
      t.record('compute.presets.size-default', `a page without a size says size ${size}`, answer);
    },
  );
});
