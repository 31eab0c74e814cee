/** GET /presets: filters beside each other, and beside sorts. */

import { presetSortFields } from '../../schemas/compute/presets.ts';
import { presetValue } from '../../harness/checks/compute/presets.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { notAnswered } from '../../harness/checks/collection/filter.ts';
import { sameItems } from '../../harness/checks/collection/walk.ts';
import { type ListQuery, readPresetList } from '../../harness/drivers/collection/reading.ts';
import {
  distinct,
  judgeFilter,
  regionFilters,
  textIn,
} from '../../harness/drivers/compute/preset-filters.ts';
import { type ComputeContext, computeSection } from '../../harness/drivers/compute/session.ts';
import { having, tell, wholePresets } from '../../harness/drivers/collection/whole-list.ts';

/** The names with those first that most presets share: filters beside them leave some of those out. */
function severalOf(
  skus: readonly string[],
  presets: readonly WireRecord[],
  t: ComputeContext,
): readonly string[] {
  const offers = (sku: string) =>
    presets.filter((preset) => textIn(t, preset, 'sku') === sku).length;
  return skus.toSorted((one, other) => offers(other) - offers(one));
}

export default computeSection('presets', (test) => {
  test(
    'a region filter gives the same beside every sort and every other filter',
    {
      judges: [
        'compute.presets.region-uae',
        'compute.presets.region-fr',
        'compute.presets.region-us',
      ],
      requests: 40,
    },
    async (t) => {
      const { records } = await having(wholePresets(t), 1, 'presets');
      for (const [id, code] of regionFilters) {
        const isOffered = records.some(
          (preset) => presetValue(preset, 'region', t.bindings) === code,
        );
        if (!isOffered) t.notExercised(id, `no preset is offered in ${code}`);
      }
      const { sku, freeText } = t.bindings.presets?.filters ?? {};
      const [one = ''] = severalOf(distinct(t, records, 'sku'), records, t);
      const beside: ListQuery[] = Object.keys(presetSortFields).map((sort_field) => ({
        sort_field,
      }));
      beside.push({ sort_direction: 'DESC' });
      if (sku !== undefined && one !== '') beside.push({ [sku]: one }, { [sku]: one });
      if (freeText !== undefined && one !== '') beside.push({ [freeText]: one });
      for (const [index, query] of beside.entries()) {
        const [id, code] = regionFilters[index % regionFilters.length] ?? regionFilters[0];
        const inRegion = (preset: WireRecord) => presetValue(preset, 'region', t.bindings) === code;
        await judgeFilter(t, id, { region: code }, inRegion, query);
      }
    },
  );

  test(
    'a SKU filter gives the same beside a sort and every other filter',
    { judges: ['compute.presets.sku-exact'], requests: 18 },
    async (t) => {
      const { records } = await having(wholePresets(t), 1, 'presets');
      const { sku = '', freeText } = t.bindings.presets?.filters ?? {};
      const [one = '', other = ''] = severalOf(distinct(t, records, 'sku'), records, t);
      const isOne = (preset: WireRecord) => textIn(t, preset, 'sku') === one;
      const beside: ListQuery[] = regionFilters.map(([, region]) => ({ region }));
      beside.push({ sort_field: 'HOURLY_PRICE', sort_direction: 'DESC' });
      if (freeText !== undefined) beside.push({ [freeText]: one }, { [freeText]: other });
      for (const query of beside) {
        await judgeFilter(t, 'compute.presets.sku-exact', { [sku]: one }, isOne, query);
      }
      if (freeText === undefined) return;
      const search = { [freeText]: one };
      const verdicts = await wholePresets(t, search).against(
        async () => readPresetList(t.api, t.bindings, { ...search, sort_field: 'HOURLY_PRICE' }),
        ({ before, after }, list) => [
          {
            requirement: 'compute.presets.sort-keeps-items' as const,
            judgement:
              notAnswered(list, JSON.stringify(search)) ??
              sameItems({ before: before.ids, after: after.ids }, list),
          },
        ],
      );
      tell(t, verdicts);
    },
  );
});
