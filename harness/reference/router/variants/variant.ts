/** The form of a conforming variant: other choices in what the contract leaves open. */

import { faultLanguage, type Patch as PatchOf } from '../../fault.ts';
import { defaultChoices, type RefusalStage, type RouterChoices } from '../choices.ts';
import type { Deployment, ModelEntry } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import type { RouterOptions } from '../start.ts';

export interface RouterVariant {
  /** A readable slug, unique within the contract. */
  readonly name: string;
  /** What it does differently, as one sentence in the present. */
  readonly summary: string;
  /** How it is started; made anew for every start. */
  readonly options: () => Partial<RouterOptions>;
  /** Implied requirements that it does not meet: a warning on them is right. */
  readonly warns?: readonly string[];
  /** True for what would hide the choices of others: it stands by itself. */
  readonly solo?: boolean;
}

type Patch = PatchOf<RouterRules>;

export const { amend, before, chained, forces, denies, nowAndThen, replace } =
  faultLanguage<RouterRules>();

/** A variant by its name, what it does otherwise, and how it is started. */
export function variant(
  name: string,
  summary: string,
  options: RouterVariant['options'],
  more: Pick<RouterVariant, 'warns' | 'solo'> = {},
): RouterVariant {
  return { name, summary, options, ...more };
}

/** A variant that is nothing but other choices. */
export function choosing(
  name: string,
  summary: string,
  choices: Partial<RouterChoices>,
): RouterVariant {
  return { name, summary, options: () => ({ choices }) };
}

/** A variant that decides some things in another way; state in its closure belongs to one deployment. */
export function deciding(
  name: string,
  summary: string,
  patch: Patch,
  more: Pick<RouterVariant, 'warns' | 'solo'> = {},
): RouterVariant {
  return variant(name, summary, () => ({ patch }), more);
}

/** The usual deployment with other models. */
export function withModels(change: (usual: ModelEntry) => ModelEntry) {
  return (usual: Deployment): Deployment => ({ ...usual, models: usual.models.map(change) });
}

/** The usual deployment, but for one model. */
export function withModel(id: string, change: (usual: ModelEntry) => ModelEntry) {
  return withModels((model) => (model.id === id ? change(model) : model));
}

/** The usual order of refusals, but for some that come first, or last. */
export function refusing(
  first: readonly RefusalStage[],
  last: readonly RefusalStage[] = [],
): readonly RefusalStage[] {
  const moved = new Set([...first, ...last]);
  const others = defaultChoices.refusalOrder.filter((stage) => !moved.has(stage));
  return [...first, ...others, ...last];
}
