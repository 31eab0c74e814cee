/** Conforming deployments in which some mutants show that live in the usual one, and the cases in which they do. */

import type { Contract } from '../../schemas/requirement.ts';
import type { Mutant } from './instrument.ts';

export interface FurtherDeployment {
  /** Name of the variant. */
  readonly variant: string;
  /** Files whose mutants it can show. */
  readonly files: readonly string[];
  /** Titles of the cases that it is for. */
  readonly titles: RegExp;
}

const QUOTAS = ['router/quotas.js', 'router/rules/quota.js'] as const;

const deployments: Readonly<Record<Contract, readonly FurtherDeployment[]>> = {
  compute: [],
  router: [
    { variant: 'day-ends', files: QUOTAS, titles: /^token-limit-rules › .* next UTC day/u },
    { variant: 'quotas-per-model', files: QUOTAS, titles: /^(?:rate|token)-limit-rules › /u },
  ],
};

/** Jobs for a mutant that lives, besides those before the usual deployment; `titles` are those of the cases, by position. */
export function furtherJobs({ contract, file }: Mutant, titles: readonly string[]) {
  return deployments[contract]
    .filter(({ files }) => files.includes(file))
    .map(({ variant, titles: meant }) => ({
      variant,
      cases: [...titles.keys()].filter((at) => meant.test(titles[at] ?? '')),
    }));
}
