/** Telling presets apart by what does not move while they are read: prices and members of a deployment's own may. */

import type { ComputeBindings } from '../../../schemas/target-bindings.ts';
import { canonicalJson } from '../../exchange/canonical-json.ts';
import { presetValue } from './presets.ts';
import type { WireRecord } from './records.ts';

/** Fields that make a preset what it is; the same one may be offered in several places. */
const naming = ['id', 'sku', 'region', 'location', 'gpu'] as const;

/** A name for each preset, in their order; undefined when the target file binds neither id nor SKU name. */
export function presetNames(
  presets: readonly WireRecord[],
  bindings: ComputeBindings | undefined,
): readonly string[] | undefined {
  const { id, sku } = bindings?.presets?.fields ?? {};
  if (id === undefined && sku === undefined) return undefined;
  return presets.map((preset) =>
    canonicalJson(naming.map((field) => presetValue(preset, field, bindings) ?? null)),
  );
}
