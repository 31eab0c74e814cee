/**
 * What faults break beside what they declare: who breaks one thing breaks another that comes by. A whole run finds these
 * too, and they are no false alarms; the cases that are likely to find a fault need not meet them.
 */

import type { Contract } from '../../../schemas/requirement.ts';
import { computeConsequences } from './compute.ts';
import { routerConsequences } from './router.ts';

/** By contract and by the name of a fault: ids of requirements without the name of their contract. */
export const consequences: Readonly<Record<Contract, Readonly<Record<string, readonly string[]>>>> =
  { compute: computeConsequences, router: routerConsequences };

/** Ids of the requirements that a fault breaks beside those that it declares; none for most faults. */
export function consequencesOf(contract: Contract, fault: string): readonly string[] {
  return (consequences[contract][fault] ?? []).map((id) => `${contract}.${id}`);
}
