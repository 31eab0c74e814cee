/** GET /presets: its parameters, its search, and what a preset says. */

import { fieldsThere } from '../../harness/checks/compute/presets.ts';
import { shownSize } from '../../harness/checks/compute/shown-size.ts';
import { having, textOf, textsOf, wholeOf } from '../../harness/drivers/collection/collection.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { presets } from './collections.ts';
import { cursors, oddities, refusals, sizes } from './laws/bounds.ts';
import { search } from './laws/search.ts';

const refused = [
  'size-zero',
  'size-negative',
  'size-above-maximum',
  'size-overflow',
  'size-fraction',
  'size-not-a-number',
  'sort-field-unknown',
  'sort-direction-unknown',
  'free-text-too-long',
] as const;

export default computeSection('presets', (test) => {
  sizes(test, presets);
  refusals(test, presets, refused, (slug) => `compute.presets.${slug}`);
  oddities(test, presets);
  cursors(test, presets);
  search(test, presets);

  test(
    'every preset carries its price',
    // The checks of every exchange judge these: the case only brings presets about.
    {
      judges: ['compute.presets.price-there', 'compute.pagination.object-on-presets'],
      requests: 1,
    },
    async (t) => {
      await having(wholeOf(t, presets), 1, 'presets');
    },
  );

  test(
    'every preset says what it is',
    { judges: ['compute.presets.fields-there'], requests: 1 },
    async (t) => {
      const list = await having(wholeOf(t, presets), 1, 'presets');
      judgeOrLack(
        t,
        'compute.presets.fields-there',
        fieldsThere(list, t.bindings),
        'the target file names no field of a preset',
      );
    },
  );

  test(
    'the fields of a preset and the default page size are recorded',
    { judges: ['compute.presets.record-fields', 'compute.presets.size-default'], requests: 2 },
    async (t) => {
      const answer = await t.api.presets();
      const [preset = {}] = presets.itemsIn(t, answer) ?? [];
      const names = Object.keys(preset).join(', ');
      t.record('compute.presets.record-fields', names === '' ? 'not known' : names, answer);
      const said = `a page without a size says size ${String(shownSize(answer))}`;
      t.record('compute.presets.size-default', said, answer);
    },
  );

  test(
    'whether one SKU is offered in several regions is recorded',
    { judges: ['compute.presets.offered-in-several-regions'], requests: 1 },
    async (t) => {
      const { records, exchanges } = await having(wholeOf(t, presets), 1, 'presets');
      const several = textsOf(t, presets, records, 'sku').filter((sku) => {
        const offers = records.filter((preset) => textOf(t, presets, preset, 'sku') === sku);
        return textsOf(t, presets, offers, 'region').length > 1;
      });
      t.record(
        'compute.presets.offered-in-several-regions',
        `${several.length} SKU names are offered in several regions, such as ${several[0] ?? 'none'}`,
        exchanges[0],
      );
    },
  );
});
