/** Every requirement of the compute contract, by id. */

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
import { merged } from '../requirement.ts';

const all = merged([
  media,
  instanceRecord,
  pagination,
  regions,
  states,
  listInstances,
  stopInstance,
  terminateInstance,
  getInstance,
  startInstance,
  presets,
  authentication,
  scoping,
  errors,
  rateLimiting,
]);

export const computeCatalogue = all.requirements;

/** Id of a requirement of the compute contract. */
export type ComputeRequirementId = keyof typeof computeCatalogue;

/** Every clause of the compute contract, by anchor: where a reader finds it, and why nothing is judged there. */
export const computeClauses = all.clauses;
