/** A conforming compute deployment with another choice where the contract is open. */

import { type ComputeChoices, defaultChoices } from '../choices.ts';
import type { ComputeRules } from '../context.ts';
import type { Instance, Preset } from '../model.ts';
import { defaultPopulation, defaultPresets, type Population } from '../seed.ts';
import { faultLanguage, type Patch as PatchOf, type Rows } from '../../fault.ts';
import { type Terms, type Variant, variantTable } from '../../variant.ts';
import type { ComputeOptions } from '../start.ts';

type Body = Readonly<Record<string, unknown>>;

export type ComputeVariant = Variant<ComputeOptions>;

export type Patch = PatchOf<ComputeRules>;

export const { amend, before, chained, forces, nowAndThen, replace } =
  faultLanguage<ComputeRules>();

/** Variants by their start options. */
export function starting(table: Rows<ComputeVariant['options']>): readonly ComputeVariant[] {
  return variantTable(table, (options) => options());
}

/** Variants that differ in their choices. */
export function choosing(table: Rows<Partial<ComputeChoices>>): readonly ComputeVariant[] {
  return variantTable(table, (choices) => ({ choices }));
}

/** Variants that replace rules. State in the closure of a patch belongs to one deployment. */
export function deciding(table: Rows<Patch>, terms?: Terms): readonly ComputeVariant[] {
  return variantTable(table, (patch) => ({ patch }), terms);
}

/** Changes instance records, both in lists and in responses to actions. */
export function inRecords(change: (record: Body, instance: Instance, at: number) => Body): Patch {
  return chained(amend('listRecord', change), amend('actionRecord', change));
}

type Offer = Required<Pick<ComputeOptions, 'presets' | 'population'>>;

/** A catalogue, and the default accounts on it, changed where `change` is given. */
export function offering(
  presets: readonly Preset[] = defaultPresets(),
  change: (population: Population) => Partial<Population> = () => ({}),
): Offer {
  const population = defaultPopulation({ seed: 1, presets, instances: 72, now: Date.now() });
  return { presets, population: { ...population, ...change(population) } };
}

/** The default presets, and accounts with changed instances. */
export function instancesLike(
  change: (
    instance: Instance,
    index: number,
    of: { readonly presets: readonly Preset[]; readonly count: number },
  ) => Instance,
): Offer {
  const presets = defaultPresets();
  return offering(presets, ({ accounts }) => ({
    accounts: accounts.map(({ instances, ...account }) => {
      const of = { presets, count: instances.length };
      return { ...account, instances: instances.map((one, index) => change(one, index, of)) };
    }),
  }));
}

/** The preset choices, with some of them changed. */
export function presetChoices(
  some: Partial<ComputeChoices['presets']>,
): Pick<ComputeChoices, 'presets'> {
  return { presets: { ...defaultChoices.presets, ...some } };
}
