/** What a run comes to, as one verdict. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../schemas/report.ts';

/**
 * - `conforms`: everything stated that was exercised held, and enough of it was decided.
 * - `violates`: a stated requirement was broken.
 * - `nothing-exercised`: not one requirement was seen, so nothing can be said.
 * - `undecided`: nothing broken was seen, and less was decided than the run was asked to.
 * - `unjudged`: the suite itself failed somewhere, and found no violation.
 */
export type Conclusion = 'conforms' | 'violates' | 'nothing-exercised' | 'undecided' | 'unjudged';

/** The share that must be decided where the run was not told another, in percent. */
const USUAL_DECIDED = 90;

/** What the run says of one of its targets. */
export function conclude(report: ConformanceReport, target: TargetResult): Conclusion {
  const { stated, implied, open } = target.summary;
  if (stated.failed > 0) return 'violates';
  const erred = report.troubles.some((trouble) => trouble.target === target.name);
  if (erred || stated.error + implied.error + open.error > 0) return 'unjudged';
  if (!exercised(target)) return 'nothing-exercised';
  // What a shard leaves undecided, the others decide.
  const { decided, within, asked } = decisions(report, target);
  return report.run.shard === null && decided * 100 < asked * within ? 'undecided' : 'conforms';
}

/** What was decided of what the target file lets a run exercise, and the percentage that the run was asked for. */
export interface Decisions {
  readonly decided: number;
  /** Stated requirements that the target file lets a run exercise. */
  readonly within: number;
  readonly asked: number;
}

/** Counts the stated requirements of one target. */
export function decisions(
  { run, requirements }: ConformanceReport,
  { name }: TargetResult,
): Decisions {
  const within = requirements.filter(
    (result) =>
      result.target === name && result.strength === 'stated' && isWithinReach(result, run.partial),
  );
  const isDecided = ({ verdict }: RequirementResult) =>
    verdict === 'passed' || verdict === 'failed' || verdict === 'waived';
  return {
    decided: within.filter(isDecided).length,
    within: within.length,
    asked: run.decided ?? USUAL_DECIDED,
  };
}

/**
 * False when it takes a line that the target file does not have, or an answer that no case provokes. An unfinished run
 * does not know, and counts what it did not come to.
 */
function isWithinReach({ verdict, gaps, cases }: RequirementResult, partial: boolean): boolean {
  if (verdict !== 'not-exercised') return true;
  const isKnown = partial || cases.length > 0;
  return gaps.some(({ line, presumed }) => line === undefined && (isKnown || presumed !== true));
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
 * 0 conforms, 1 violates, 4 the suite failed, 5 too little was decided. `strict` makes a broken implied requirement a
 * violation, and so is a declared deviation that has healed: the declaration would hide the next one. A shard may have nothing to do for a target; all of it together may not.
 */
export function exitCode(
  report: ConformanceReport,
  { strict }: { readonly strict: boolean },
): 0 | 1 | 4 | 5 {
  const conclusions = new Set(report.targets.map((target) => conclude(report, target)));
  const warned = report.targets.some(({ summary }) => summary.implied.warned > 0);
  if (conclusions.has('violates') || (strict && (warned || healedOf(report).length > 0))) return 1;
  if (conclusions.has('unjudged') || report.troubles.length > 0) return 4;
  // More shards than there are cases for them: this one has nothing to say, and nothing went wrong.
  if (report.run.shard !== null && !report.run.partial && report.cases.length === 0) return 0;
  if (!conclusions.has('conforms')) return 5;
  const isWhole = report.run.shard === null && conclusions.size === 1;
  return report.run.shard !== null || isWhole ? 0 : 5;
}
