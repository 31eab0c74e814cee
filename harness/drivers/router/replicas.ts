/** How many replicas of a router share its requests: buckets and rates hold per replica, and only the target file knows. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { RouterContext } from './session.ts';

/** Replicas that are allowed for where the target file does not say how many there are. */
const ASSUMED_REPLICAS = 4;

/** Replicas that are allowed for: those of the target file, or four. */
export function replicasOf({ limits }: Pick<RouterContext, 'limits'>): number {
  return limits.replicas ?? ASSUMED_REPLICAS;
}

/**
 * Judges what more replicas than are allowed for would explain: a violation is inconclusive where the target file does not
 * say how many there are.
 */
export function judgeByReplicas(
  t: Pick<RouterContext, 'limits' | 'judge' | 'inconclusive'>,
  id: RouterRequirementId,
  judgement: Judgement,
): void {
  const [wrong] = judgement.violations;
  if (wrong === undefined || t.limits.replicas !== undefined) return t.judge(id, judgement);
  t.inconclusive(
    id,
    `${wrong.message} More than ${ASSUMED_REPLICAS} replicas would explain it; "limits: { replicas: ... }" in the target file says how many there are.`,
  );
}
