/** A conforming deployment that decides otherwise where the contract is open. */

import { type ComputeChoices, defaultChoices } from '../choices.ts';
import type { ComputeOptions } from '../start.ts';

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
