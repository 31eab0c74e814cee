/** The region of a listed instance against the locations that presets show (compute#variants/rule-1). */

import { isCodeInAnyCase, regionCodes } from '../../../schemas/compute/regions.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { presetValue } from './presets.ts';
import { type WireRecord, textOf } from './records.ts';

/** Locations that presets show in a region alone; `unmapped` are those that the target file says are in none. */
export function locationsWithin(
  presets: readonly WireRecord[],
  unmapped: readonly string[],
  bindings: ComputeBindings,
): ReadonlySet<string> {
  const within = new Set<string>();
  const without = new Set(unmapped);
  for (const preset of presets) {
    const location = presetValue(preset, 'location', bindings);
    if (typeof location !== 'string' || location === '' || isCodeInAnyCase(location)) continue;
    const region = presetValue(preset, 'region', bindings);
    (regionCodes.some((code) => code === region) ? within : without).add(location);
  }
  return new Set([...within].filter((location) => !without.has(location)));
}

/** No instance of a list shows such a location in the place of the region that it runs in. */
export function runsInRegions(
  records: readonly WireRecord[],
  locations: ReadonlySet<string>,
  ...exchanges: readonly Exchange[]
): Judgement {
  const told = records.filter((record) => textOf(record, 'region') !== undefined);
  if (told.length === 0) return notObserved;
  const wrong = told.find((record) => locations.has(textOf(record, 'region') ?? ''));
  return expectThat(
    wrong === undefined,
    'A list shows a location in the place of the region that an instance runs in.',
    { expected: 'the region that the presets show for the location', actual: wrong },
    ...exchanges,
  );
}
