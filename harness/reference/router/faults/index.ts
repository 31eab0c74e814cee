/** All deliberate violations of the router contract. */

import type { Fault } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
import { exampleFaults } from './example-faults.ts';

export const routerFaults: readonly Fault<RouterRules>[] = [...exampleFaults];
