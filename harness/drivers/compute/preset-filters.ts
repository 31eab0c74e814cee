/** Filters of presets, held against the list that they filter. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { PresetField } from '../../../schemas/compute/target.ts';
import { selectsPresets } from '../../checks/compute/preset-filter.ts';
import { presetValue } from '../../checks/compute/presets.ts';
import type { WireRecord } from '../../checks/compute/records.ts';
import { type ListingOptions, type ListQuery, readPresetList } from '../collection/reading.ts';
import type { ComputeContext } from './context.ts';
import { tell, wholePresets } from '../collection/whole-list.ts';

/** Region filters by the requirement that judges them. */
export const regionFilters = [
  ['compute.presets.region-uae', 'UAE'],
  ['compute.presets.region-fr', 'FR'],
  ['compute.presets.region-us', 'US'],
] as const;

/** Text of a bound field; `''` where it is none. */
export function textIn(t: ComputeContext, preset: WireRecord, field: PresetField): string {
  const value = presetValue(preset, field, t.bindings);
  return typeof value === 'string' ? value : '';
}

/** The texts that a bound field has. */
export function distinct(t: ComputeContext, presets: readonly WireRecord[], field: PresetField) {
  const texts = presets.map((preset) => textIn(t, preset, field)).filter((text) => text !== '');
  return [...new Set(texts)];
}

/**
 * Judges one filter against the full list, or against what `beside` selects; tells whether anything was seen. The
 * filtered list is read in pages as `options` say.
 */
export async function judgeFilter(
  t: ComputeContext,
  id: ComputeRequirementId,
  filter: ListQuery,
  matches: (preset: WireRecord) => boolean,
  beside: ListQuery = {},
  options: ListingOptions = {},
): Promise<boolean> {
  const query = { ...beside, ...filter };
  const verdicts = await wholePresets(t, beside).against(
    async () => readPresetList(t.api, t.bindings, query, options),
    (around, part) => [
      {
        requirement: id,
        judgement: selectsPresets({ ...around, part, matches, filter: JSON.stringify(query) }),
      },
    ],
  );
  tell(t, verdicts);
  return verdicts.some(({ judgement }) => judgement.seen > 0);
}
