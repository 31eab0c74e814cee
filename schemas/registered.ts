/** The registered contracts as data: their requirements, needs and levels, and the form of their target files. */

import type { z } from 'zod';
import { computeCatalogue, computeClauses } from './compute/catalogue.ts';
import { computeLevels, computeNeeds } from './compute/needs.ts';
import { computeTargetFile } from './compute/target.ts';
import type { Clause, Contract, Level, Needs, Requirement } from './requirement.ts';
import { routerLevels, routerNeeds } from './router/needs.ts';
import { routerTargetFile } from './router/target.ts';
import type { TargetFile } from './target.ts';
import { routerCatalogue, routerClauses } from './router/catalogue.ts';

/** A contract as data. `harness/contracts/` has the code that talks to its deployments. */
export interface ContractData {
  /** The name of the contract in headings. */
  readonly title: string;
  /** What a deployment serves, shown to a user who chooses a contract. */
  readonly serves: string;
  /** Every requirement by its id, in the order of the document. */
  readonly catalogue: Readonly<Record<string, Requirement>>;
  readonly clauses: Readonly<Record<string, Clause>>;
  readonly needs: Needs;
  /** The smallest first. */
  readonly levels: readonly Level[];
  /** Requirements in no level, with the reason why a conforming deployment may be unable to show them. */
  readonly beyondLevels: Readonly<Record<string, string>>;
  /** Sections that judge every response of any operation; their own cases provoke only a few of these responses. */
  readonly aboutEveryAnswer: readonly string[];
  /** True if the contract defines instance states. */
  readonly hasStates: boolean;
  /** URL paths that identify a deployment in a recording; the first group is the path of the base URL. */
  readonly paths: readonly RegExp[];
  readonly targetFile: z.ZodType<TargetFile> & z.core.$ZodTypeDiscriminable;
}

export const registered = {
  compute: {
    title: 'Compute',
    serves: 'GPU instances',
    catalogue: computeCatalogue,
    clauses: computeClauses,
    needs: computeNeeds,
    levels: computeLevels,
    beyondLevels: {
      'compute.errors.status-500': 'a deployment that never fails inside has no 500 to show',
      'compute.errors.code-internal-error':
        'a deployment that never fails inside has no 500 to show',
    },
    aboutEveryAnswer: ['errors', 'media'],
    hasStates: true,
    paths: [/^(.*\/v1)\/(?:instances|presets|regions)(?:\/|$)/u],
    targetFile: computeTargetFile,
  },
  router: {
    title: 'Router',
    serves: 'inference requests',
    catalogue: routerCatalogue,
    clauses: routerClauses,
    needs: routerNeeds,
    levels: routerLevels,
    beyondLevels: {
      'router.limits.body-limit-disabled': 'a deployment with a body limit cannot show it',
      'router.token-limit-rules.budget-back-next-day':
        'only a run that begins in the half minute before midnight UTC sees it',
    },
    aboutEveryAnswer: ['codes', 'envelope', 'response-headers'],
    hasStates: false,
    paths: [
      /^(.*)\/v1\/(?:chat\/completions|messages(?:\/count_tokens)?|embeddings|rerank|models(?:\/[^/]+)?)$/u,
      /^(.*)\/admin\/(?:health|routing-table)$/u,
    ],
    targetFile: routerTargetFile,
  },
} as const satisfies Readonly<Record<Contract, ContractData>>;
