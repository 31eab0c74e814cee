/** GET /presets: region, SKU and free-text filters against the full list. */

import { isCodeInAnyCase, regionCodes } from '../../schemas/compute/regions.ts';
import { isEmptyPage } from '../../harness/checks/compute/empty-page.ts';
import { presetsOf, presetValue } from '../../harness/checks/compute/presets.ts';
import { wildcardsFor } from '../../harness/checks/collection/search.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { selectsNone } from '../../harness/checks/collection/filter.ts';
import { unknownRegions } from '../../harness/generate/lists.ts';
import { readPresetList } from '../../harness/drivers/collection/reading.ts';
import {
  distinct,
  judgeFilter,
  regionFilters,
  textIn,
} from '../../harness/drivers/compute/preset-filters.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { having, wholePresets } from '../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** Values of one field that are tried: an offer may be missing from one alone. */
const TRIED_VALUES = 20;
/** Names that are cut short in search of one that is taken for the whole. */
const CUT_NAMES = 3;

export default computeSection('presets', (test) => {
  for (const [id, code] of regionFilters) {
    test(
      `the region filter ${code} gives the presets offered there`,
      { judges: [id], requests: 4 },
      async (t) => {
        const isThere = (preset: WireRecord) => presetValue(preset, 'region', t.bindings) === code;
        const seen = await judgeFilter(t, id, { region: code }, isThere);
        // The smallest page is that of another region than the one that the list begins with.
        await judgeFilter(t, id, { region: code }, isThere, {}, { size: 1, mostPages: 1 });
        if (!seen) t.notExercised(id, `no preset is offered in ${code}`);
      },
    );
  }

  test(
    'a region that does not exist gives an empty page of presets',
    { judges: ['compute.presets.region-unknown-empty'], requests: 1 + unknownRegions.length },
    async (t) => {
      const plain = await t.api.presets();
      for (const region of unknownRegions) {
        if (t.bindings.locations?.unmapped?.includes(region) === true) continue;
        const page = await t.api.presets({ region });
        t.judge(
          'compute.presets.region-unknown-empty',
          isEmptyPage(page, `The preset filter region=${region}`, plain, t.bindings),
        );
      }
      if (presetsOf(plain, t.bindings)?.length === 0) {
        t.notExercised('compute.presets.region-unknown-empty', 'there are no presets');
      }
    },
  );

  test(
    'a location that belongs to no region gives the presets at that location',
    { judges: ['compute.presets.region-unmapped-location'], requests: 8 },
    async (t) => {
      const id = 'compute.presets.region-unmapped-location';
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const name = t.bindings.presets?.filters?.sku;
      const { records } = await wholePresets(t).known();
      for (const location of unmapped) {
        const isThere = (preset: WireRecord) => textIn(t, preset, 'location') === location;
        const seen = await judgeFilter(t, id, { region: location }, isThere);
        if (!seen) t.notExercised(id, `no preset is at the location ${location}`);
        const [sku] = distinct(t, records.filter(isThere), 'sku');
        if (name === undefined || sku === undefined) continue;
        await judgeFilter(t, id, { region: location }, isThere, { [name]: sku });
      }
    },
  );

  test(
    'a location that belongs to a region gives an empty page of presets',
    { judges: ['compute.presets.region-mapped-location'], requests: 10 },
    async (t) => {
      const { records } = await having(wholePresets(t), 1, 'presets');
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const mapped = records.filter((preset) =>
        regionCodes.some((code) => code === textIn(t, preset, 'region')),
      );
      const locations = distinct(t, mapped, 'location').filter(
        (location) => !unmapped.includes(location) && !isCodeInAnyCase(location),
      );
      if (locations.length === 0) throw new NotExercised('no preset shows a location and a region');
      const plain = await t.api.presets();
      for (const location of locations.slice(0, TRIED_VALUES)) {
        for (const sort of [{}, { sort_field: 'HOURLY_PRICE' }]) {
          const page = await t.api.presets({ region: location, ...sort });
          const query = JSON.stringify({ region: location, ...sort });
          const what = `The preset filter ${query}, a location in a region,`;
          t.judge(
            'compute.presets.region-mapped-location',
            isEmptyPage(page, what, plain, t.bindings),
          );
        }
      }
    },
  );

  test(
    'the SKU filter takes whole names, and nothing less',
    {
      judges: ['compute.presets.sku-exact', 'compute.presets.sku-part', 'compute.presets.sku-case'],
      requests: 39,
    },
    async (t) => {
      const name = t.bindings.presets?.filters?.sku ?? '';
      const whole = await having(wholePresets(t), 1, 'presets');
      const skus = distinct(t, whole.records, 'sku');
      for (const [index, sku] of skus.slice(0, TRIED_VALUES).entries()) {
        await judgeFilter(
          t,
          'compute.presets.sku-exact',
          { [name]: sku },
          (preset) => textIn(t, preset, 'sku') === sku,
        );
        if (index >= CUT_NAMES) continue;
        const patterns = index === 0 ? wildcardsFor(sku) : [];
        for (const part of [sku.slice(0, -1), sku.slice(1), ...patterns]) {
          if (part.trim() === '' || skus.includes(part)) continue;
          const found = await readPresetList(t.api, t.bindings, { [name]: part });
          t.judge('compute.presets.sku-part', selectsNone(whole, found, `${name}=${part}`));
        }
        const other = sku === sku.toUpperCase() ? sku.toLowerCase() : sku.toUpperCase();
        if (other === sku || skus.includes(other)) continue;
        const found = await readPresetList(t.api, t.bindings, { [name]: other });
        t.judge('compute.presets.sku-case', selectsNone(whole, found, `${name}=${other}`));
      }
    },
  );
});
