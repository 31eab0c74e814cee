/** Every requirement of the compute contract, by id. */

import type { Clause } from '../requirement.ts';
import { authentication } from './authentication.ts';
import { errors } from './errors.ts';
import { getInstance } from './get-instance.ts';
import { instanceRecord } from './instance-record.ts';
import { listInstances } from './list-instances.ts';
import { media } from './media.ts';
import { pagination } from './pagination.ts';
import { presets } from './presets.ts';
import { rateLimiting } from './rate-limiting.ts';
import { regions } from './regions.ts';
import { scoping } from './scoping.ts';
import { startInstance } from './start-instance.ts';
import { states } from './states.ts';
import { stopInstance } from './stop-instance.ts';
import { terminateInstance } from './terminate-instance.ts';

export const computeCatalogue = {
  ...media.requirements,
  ...instanceRecord.requirements,
  ...pagination.requirements,
  ...regions.requirements,
  ...states.requirements,
  ...listInstances.requirements,
  ...stopInstance.requirements,
  ...terminateInstance.requirements,
  ...getInstance.requirements,
  ...startInstance.requirements,
  ...presets.requirements,
  ...authentication.requirements,
  ...scoping.requirements,
  ...errors.requirements,
  ...rateLimiting.requirements,
} as const;

/** Id of a requirement of the compute contract. */
export type ComputeRequirementId = keyof typeof computeCatalogue;

/** Every clause of the compute contract, by anchor: where a reader finds it, and why nothing is judged there. */
export const computeClauses: Readonly<Record<string, Clause>> = {
  ...media.clauses,
  ...instanceRecord.clauses,
  ...pagination.clauses,
  ...regions.clauses,
  ...states.clauses,
  ...listInstances.clauses,
  ...stopInstance.clauses,
  ...terminateInstance.clauses,
  ...getInstance.clauses,
  ...startInstance.clauses,
  ...presets.clauses,
  ...authentication.clauses,
  ...scoping.clauses,
  ...errors.clauses,
  ...rateLimiting.clauses,
};
