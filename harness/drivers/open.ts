/** Opens the session that fits a target. */

import type { PlannedTarget, RunPlan } from '../runner/run-plan.ts';
import type { RunnableSession } from '../runner/run-case.ts';
import { openComputeSession } from './compute/session.ts';
import { openRouterSession } from './router/session.ts';

export type Session = RunnableSession;

export async function openSession(
  planned: PlannedTarget,
  run: Pick<RunPlan, 'runId' | 'journal' | 'shard'>,
): Promise<Session> {
  const { target } = planned;
  return target.contract === 'compute'
    ? openComputeSession({ ...planned, target }, run)
    : openRouterSession({ ...planned, target }, run);
}
