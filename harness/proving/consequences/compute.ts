/** Consequences of compute faults. */

import type { Consequences } from './consequences.ts';

export const computeConsequences: Consequences = {};
