/** Declares the requirements of one documented section of the compute contract. */

import type { ComputeNeed } from './needs.ts';
import { declareRequirements } from '../requirement.ts';
import type { ComputeClause } from './clauses.ts';

export const section = declareRequirements<'compute', ComputeClause, ComputeNeed>('compute');
