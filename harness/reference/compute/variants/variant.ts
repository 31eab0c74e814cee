/** A conforming deployment that decides otherwise where the contract is open. */

import { type ComputeChoices, defaultChoices } from '../choices.ts';
import type { ComputeRules } from '../context.ts';
import type { Instance, Preset } from '../model.ts';
import { defaultPopulation, defaultPresets, type Population } from '../seed.ts';
import { faultLanguage, type Patch as PatchOf } from '../../fault.ts';
import type { ComputeOptions } from '../start.ts';

type Body = Readonly<Record<string, unknown>>;

export interface ComputeVariant {
  /** A readable slug, unique. */
  readonly name: string;
  /** What it does otherwise, as one sentence in the present. */
  readonly summary: string;
  readonly options: () => ComputeOptions;
  /** Implied requirements of which it may be warned: it decides otherwise than a careful reader would expect. */
  readonly warns?: readonly string[];
}

/** A variant by its name, what it does otherwise, and how it is started. */
export function variant(
  name: string,
  summary: string,
  options: ComputeVariant['options'],
  more: Pick<ComputeVariant, 'warns'> = {},
): ComputeVariant {
  return { name, summary, options, ...more };
}

export type Patch = PatchOf<ComputeRules>;

export const { amend, before, chained, forces, affirms, denies, nowAndThen, replace } =
  faultLanguage<ComputeRules>();

/** A variant that decides some things in another way; state in its closure belongs to one deployment. */
export function deciding(
  name: string,
  summary: string,
  patch: Patch,
  more: Pick<ComputeVariant, 'warns'> = {},
): ComputeVariant {
  return variant(name, summary, () => ({ patch }), more);
}

/** Records of instances, in lists and in answers, changed. */
export function inRecords(change: (record: Body, instance: Instance, at: number) => Body): Patch {
  return chained(amend('listRecord', change), amend('actionRecord', change));
}

/** The default accounts over some presets. */
export function populationOn(presets: readonly Preset[]): Population {
  return defaultPopulation({ seed: 1, presets, instances: 72, now: Date.now() });
}

/** The default presets and accounts, whose instances are other ones. */
export function instancesLike(
  change: (
    instance: Instance,
    index: number,
    of: { readonly presets: readonly Preset[]; readonly count: number },
  ) => Instance,
): Required<Pick<ComputeOptions, 'presets' | 'population'>> {
  const presets = defaultPresets();
  const { keys, accounts } = populationOn(presets);
  const changed = accounts.map(({ instances, ...account }) => {
    const of = { presets, count: instances.length };
    return { ...account, instances: instances.map((one, index) => change(one, index, of)) };
  });
  return { presets, population: { keys, accounts: changed } };
}

/** A variant that differs in its choices. */
export function choosing(
  name: string,
  summary: string,
  choices: Partial<ComputeChoices>,
): ComputeVariant {
  return { name, summary, options: () => ({ choices }) };
}

/** The choices on presets, with some of them made otherwise. */
export function presetChoices(
  some: Partial<ComputeChoices['presets']>,
): Pick<ComputeChoices, 'presets'> {
  return { presets: { ...defaultChoices.presets, ...some } };
}
