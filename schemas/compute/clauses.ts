/** The register of every clause of the compute contract, in document order by group. */

import { conductClauses } from './clauses/conduct.ts';
import { lifecycleClauses } from './clauses/lifecycle.ts';
import { readingClauses } from './clauses/reading.ts';
import { recordClauses } from './clauses/records.ts';

export const computeClauses = {
  ...recordClauses,
  ...lifecycleClauses,
  ...readingClauses,
  ...conductClauses,
} as const;

/** Anchor of a clause of the compute contract. */
export type ComputeClause = keyof typeof computeClauses;
