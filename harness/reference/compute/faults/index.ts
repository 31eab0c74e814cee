/** All faults of the compute deployment. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules } from '../rules.ts';
import { exampleFaults } from './examples.ts';

export const computeFaults: readonly Fault<ComputeRules>[] = [...exampleFaults];
