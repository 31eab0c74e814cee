/** The catalogues of both contracts, side by side. */

import { computeCatalogue } from './compute/catalogue.ts';
import { computeClauses } from './compute/catalogue.ts';
import type { Clause, Contract, Requirement } from './requirement.ts';
import { routerCatalogue } from './router/catalogue.ts';
import { routerClauses } from './router/catalogue.ts';

const catalogues: Readonly<Record<Contract, readonly Requirement[]>> = {
  compute: Object.values(computeCatalogue),
  router: Object.values(routerCatalogue),
};

/** Every requirement of a contract, in the order of its document. */
export function requirementsOf(contract: Contract): readonly Requirement[] {
  return catalogues[contract];
}

/** Every requirement of both contracts. */
export const allRequirements: readonly Requirement[] = Object.values(catalogues).flat();

/** Where a reader finds each clause, by contract. */
export const clauseRegisters: Readonly<Record<Contract, Readonly<Record<string, Clause>>>> = {
  compute: computeClauses,
  router: routerClauses,
};
