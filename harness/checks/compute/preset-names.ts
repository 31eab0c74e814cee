/** Telling presets apart by what does not move while they are read: prices and members of a deployment's own may. */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { canonicalJson } from '../../exchange/body.ts';
import { presetValue } from './presets.ts';
import type { WireRecord } from './records.ts';

/** Fields that make a preset what it is; the same one may be offered in several places. */
const naming = ['id', 'sku', 'region', 'location', 'gpu'] as const;

/** All that a target file can bind of a preset. */
const bindable = [...naming, 'gpuCount', 'cpu', 'memory', 'storage', 'price'] as const;

/**
 * What a preset says, as text. Where the target file binds its id, only what is bound counts: a deployment may tell of its
 * own what moves all the time, such as how many are free. Otherwise everything must tell presets apart.
 */
export function presetContent(preset: WireRecord, bindings: ComputeBindings | undefined): string {
  const { fields } = bindings?.presets ?? {};
  if (fields?.id === undefined) return canonicalJson(preset);
  const bound = bindable.filter((field) => fields[field] !== undefined);
  return canonicalJson(bound.map((field) => presetValue(preset, field, bindings) ?? null));
}

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
