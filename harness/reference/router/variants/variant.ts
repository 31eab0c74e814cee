/** The form of a conforming variant: other choices in what the contract leaves open. */

import type { RouterChoices } from '../choices.ts';
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
  /** True for what would hide the choices of others: it keeps nobody company. */
  readonly alone?: boolean;
}

/** A variant by its name, what it does otherwise, and how it is started. */
export function variant(
  name: string,
  summary: string,
  options: RouterVariant['options'],
  more: Pick<RouterVariant, 'warns' | 'alone'> = {},
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
  patch: (rules: RouterRules) => RouterRules,
): RouterVariant {
  return { name, summary, options: () => ({ patch }) };
}
