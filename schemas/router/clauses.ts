/** The register of everything that the router contract says, by anchor, with what is not judged and why. */

import type { Clause } from '../requirement.ts';
import { errorsClauses } from './clauses/errors.ts';
import { limitsClauses } from './clauses/limits.ts';
import { routingClauses } from './clauses/routing.ts';
import { serviceClauses } from './clauses/service.ts';

export const routerClauses = {
  ...serviceClauses,
  ...errorsClauses,
  ...routingClauses,
  ...limitsClauses,
} as const satisfies Readonly<Record<string, Clause>>;

export type RouterClause = keyof typeof routerClauses;
