/** Every requirement of the compute contract, by id. */

import { authenticationRequirements } from './authentication.ts';
import { errorsRequirements } from './errors.ts';
import { getInstanceRequirements } from './get-instance.ts';
import { instanceRecordRequirements } from './instance-record.ts';
import { listInstancesRequirements } from './list-instances.ts';
import { mediaRequirements } from './media.ts';
import { paginationRequirements } from './pagination.ts';
import { presetsRequirements } from './presets.ts';
import { rateLimitingRequirements } from './rate-limiting.ts';
import { regionsRequirements } from './regions.ts';
import { scopingRequirements } from './scoping.ts';
import { startInstanceRequirements } from './start-instance.ts';
import { statesRequirements } from './states.ts';
import { stopInstanceRequirements } from './stop-instance.ts';
import { terminateInstanceRequirements } from './terminate-instance.ts';

export const computeCatalogue = {
  ...mediaRequirements,
  ...instanceRecordRequirements,
  ...paginationRequirements,
  ...regionsRequirements,
  ...statesRequirements,
  ...listInstancesRequirements,
  ...stopInstanceRequirements,
  ...terminateInstanceRequirements,
  ...getInstanceRequirements,
  ...startInstanceRequirements,
  ...presetsRequirements,
  ...authenticationRequirements,
  ...scopingRequirements,
  ...errorsRequirements,
  ...rateLimitingRequirements,
} as const;

/** Id of a requirement of the compute contract. */
export type ComputeRequirementId = keyof typeof computeCatalogue;
