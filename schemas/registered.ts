/** Each contract as data, one entry each: what it asks for, what for, and how a target file describes a deployment of it. */

import type { z } from 'zod';
import { computeCatalogue, computeClauses } from './compute/catalogue.ts';
import { computeLevels, computeNeeds } from './compute/needs.ts';
import { computeTargetFile } from './compute/target.ts';
import type { Clause, Contract, Level, Needs, Requirement } from './requirement.ts';
import { routerLevels, routerNeeds } from './router/needs.ts';
import { routerTargetFile } from './router/target.ts';
import type { TargetFile } from './target.ts';
import { routerCatalogue, routerClauses } from './router/catalogue.ts';

/** A contract as data. How the suite speaks to a deployment of it is in `harness/contracts/`. */
export interface ContractData {
  /** The name as a heading. */
  readonly title: string;
  /** What a deployment serves, for somebody who chooses. */
  readonly serves: string;
  /** Every requirement by its id, in the order of the document. */
  readonly catalogue: Readonly<Record<string, Requirement>>;
  readonly clauses: Readonly<Record<string, Clause>>;
  /** What requirements can need of a target file. */
  readonly needs: Needs;
  /** The smallest first. */
  readonly levels: readonly Level[];
  /** Requirements that no level asks for, and why a conforming deployment may be unable to show them. */
  readonly beyondLevels: Readonly<Record<string, string>>;
  /** Sections about every answer, whichever operation gives it: their own cases bring few of the answers about. */
  readonly aboutEveryAnswer: readonly string[];
  /** True where the contract speaks of states that instances pass through. */
  readonly hasStates: boolean;
  /** Paths by which a recording shows a deployment; the first group is the path of the base URL. */
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
