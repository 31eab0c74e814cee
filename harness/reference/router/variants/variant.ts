/** A conforming router deployment with another choice where the contract is open. */

import { faultLanguage, type Patch as PatchOf, type Rows } from '../../fault.ts';
import { type Terms, type Variant, variantTable } from '../../variant.ts';
import { defaultChoices, type RefusalStage, type RouterChoices } from '../choices.ts';
import type { Deployment, ModelEntry } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import type { RouterOptions } from '../start.ts';

export type RouterVariant = Variant<Partial<RouterOptions>>;

type Patch = PatchOf<RouterRules>;

export const { amend, before, chained, forces, nowAndThen, replace } = faultLanguage<RouterRules>();

/** Variants by their start options. */
export function starting(
  table: Rows<RouterVariant['options']>,
  terms?: Terms,
): readonly RouterVariant[] {
  return variantTable(table, (options) => options(), terms);
}

/** Variants that differ in their choices. */
export function choosing(table: Rows<Partial<RouterChoices>>): readonly RouterVariant[] {
  return variantTable(table, (choices) => ({ choices }));
}

/** Variants that replace rules. State in the closure of a patch belongs to one deployment. */
export function deciding(table: Rows<Patch>, terms?: Terms): readonly RouterVariant[] {
  return variantTable(table, (patch) => ({ patch }), terms);
}

/** The default deployment with changed models. */
export function withModels(change: (usual: ModelEntry) => ModelEntry) {
  return (usual: Deployment): Deployment => ({ ...usual, models: usual.models.map(change) });
}

/** The default deployment with one model changed. */
export function withModel(id: string, change: (usual: ModelEntry) => ModelEntry) {
  return withModels((model) => (model.id === id ? change(model) : model));
}

/** The default order of refusals, with some stages moved to the front or the end. */
export function refusing(
  first: readonly RefusalStage[],
  last: readonly RefusalStage[] = [],
): readonly RefusalStage[] {
  const moved = new Set([...first, ...last]);
  const others = defaultChoices.refusalOrder.filter((stage) => !moved.has(stage));
  return [...first, ...others, ...last];
}
