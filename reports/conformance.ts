/** What a run comes to, as one verdict. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../schemas/report.ts';

/**
 * - `conforms`: everything stated that was exercised held, and something was exercised.
 * - `violates`: a stated requirement was broken.
 * - `nothing-exercised`: not one requirement was seen, so nothing can be said.
 * - `unjudged`: the suite itself failed somewhere, and found no violation.
 */
export type Conclusion = 'conforms' | 'violates' | 'nothing-exercised' | 'unjudged';

/** What the run says of one of its targets. */
export function conclude(report: ConformanceReport, target: TargetResult): Conclusion {
  const { stated, implied, open } = target.summary;
  if (stated.failed > 0) return 'violates';
  const erred = report.troubles.some((trouble) => trouble.target === target.name);
  if (erred || stated.error + implied.error + open.error > 0) return 'unjudged';
  return exercised(target) ? 'conforms' : 'nothing-exercised';
}

/** Where anything stated was asked for, something stated must have been seen. */
function exercised({ summary: { stated, implied, open } }: TargetResult): boolean {
  if (stated.total > 0) return stated.passed + stated.waived > 0;
  return implied.passed + implied.warned + implied.waived + open.observed > 0;
}

/** Declared deviations that are none any more. A part of a run cannot tell. */
function healedOf({ run, requirements }: ConformanceReport): readonly RequirementResult[] {
  if (run.shard !== null || run.partial) return [];
  return requirements.filter(({ deviation }) => deviation?.state === 'healed');
}

/**
 * 0 conforms, 1 violates, 4 the suite failed or saw nothing. `strict` makes a broken implied requirement a
 * violation, and so is a declared deviation that has healed: the declaration would hide the next one. A shard may have nothing to do for a target; all of it together may not.
 */
export function exitCode(
  report: ConformanceReport,
  { strict }: { readonly strict: boolean },
): 0 | 1 | 4 {
  const conclusions = new Set(report.targets.map((target) => conclude(report, target)));
  const warned = report.targets.some(({ summary }) => summary.implied.warned > 0);
  if (conclusions.has('violates') || (strict && (warned || healedOf(report).length > 0))) return 1;
  if (conclusions.has('unjudged') || report.troubles.length > 0) return 4;
  // More shards than there are cases for them: this one has nothing to say, and nothing went wrong.
  if (report.run.shard !== null && !report.run.partial && report.cases.length === 0) return 0;
  if (!conclusions.has('conforms')) return 4;
  return report.run.shard === null && conclusions.has('nothing-exercised') ? 4 : 0;
}
