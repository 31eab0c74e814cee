/** Why traffic showed nothing of a requirement. */

import { requirementsOf } from '../../schemas/contracts.ts';
import type { Requirement } from '../../schemas/requirement.ts';
import type { Target } from '../../schemas/target.ts';
import type { TrafficSource } from '../contract.ts';
import type { OutcomeGap } from '../../schemas/outcome.ts';
import { missingNeeds } from '../target/offers.ts';

/** Judged by what is followed over several exchanges, beside what is universal. */
const followed: ReadonlySet<string> = new Set([
  'compute.authentication.header-missing',
  'compute.pagination.last-page-null',
  'compute.pagination.walk-ends',
  'compute.presets.walk-ends',
  'compute.rate-limiting.observed-limit',
  'compute.states.errored-entry',
  'compute.states.order-kept',
  'compute.states.terminated-stays',
  'compute.stop-instance.terminated-conflict',
  'compute.terminate-instance.terminated-conflict',
  'router.authentication.missing-on-admin',
  'router.authentication.missing-on-chat',
  'router.authentication.missing-on-models',
  'router.authentication.missing-on-proxy',
  'router.authentication.refusal-same-body',
  'router.authentication.refusal-same-challenge',
  'router.authentication.refusal-same-status',
  'router.response-headers.request-id-fresh',
]);

/** What each of them looked for in vain: a gap for every requirement of the target's contract that was not seen. */
export function unseenGaps(
  target: Target,
  seen: ReadonlySet<string>,
  source: TrafficSource,
): readonly OutcomeGap[] {
  return requirementsOf(target.contract)
    .filter(({ id }) => !seen.has(id))
    .map((requirement) => gapOf(target, requirement, source));
}

function gapOf(target: Target, requirement: Requirement, source: TrafficSource): OutcomeGap {
  const gap = { requirement: requirement.id, kind: 'not-exercised' } as const;
  const visible = requirement.universal === true || followed.has(requirement.id);
  if (!visible) {
    return { ...gap, reason: 'traffic of others does not show it; plumbline run provokes it' };
  }
  const bindings = (requirement.needs ?? []).filter((need) => need.startsWith('bindings.'));
  const [missing] = missingNeeds(target, bindings);
  if (missing !== undefined) {
    return { ...gap, reason: `needs ${missing.purpose}`, line: missing.line };
  }
  const what = source === 'proxy' ? 'traffic' : 'recording';
  return { ...gap, reason: `the ${what} did not show it` };
}
