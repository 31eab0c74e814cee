/** Declares one section of the router catalogue, its clauses and needs held by type. */

import type { RouterNeed } from './needs.ts';
import { declareRequirements } from '../requirement.ts';
import type { RouterClause } from './clauses.ts';

export const routerSection = declareRequirements<'router', RouterClause, RouterNeed>('router');
