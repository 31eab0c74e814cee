/** Conclusions about a whole target that every format shares: the verdict, missing fixtures, deviations. */

import type {
  ConformanceReport,
  KnownDeviation,
  RequirementResult,
  TargetResult,
} from '../../schemas/report.ts';
import { byKey, byText, distinct, grouped, plural, present, sum } from './text.ts';
import { resultsOf } from './evidence.ts';
import { ofSuite, troubleOf } from './lost.ts';
import { missingShards } from './merge.ts';
import { standings } from './verdict.ts';

/**
 * - `conforms`: all exercised stated requirements held, and enough of them were decided.
 * - `violates`: a stated requirement was broken.
 * - `nothing-exercised`: no requirement was observed, so nothing can be said.
 * - `undecided`: nothing broken was seen, but too little was decided, a required profile is not met, or most requests
 *   got no readable response.
 * - `unjudged`: the suite itself failed somewhere, and found no violation.
 */
export type Conclusion = 'conforms' | 'violates' | 'nothing-exercised' | 'undecided' | 'unjudged';

/** Percentage that must be decided (default 90). */
const USUAL_DECIDED = 90;

/** The conclusion about one target of a run. */
export function conclude(report: ConformanceReport, target: TargetResult): Conclusion {
  const { stated, implied, open } = target.summary;
  if (stated.failed > 0) return 'violates';
  const erred = ofSuite(report).some((trouble) => trouble.target === target.name);
  if (erred || stated.error + implied.error + open.error > 0) return 'unjudged';
  if (!exercised(target)) return 'nothing-exercised';
  if (troubleOf(report, target) !== undefined) return 'undecided';
  // Other shards may decide what this one leaves undecided.
  const { decided, within, asked } = decisions(report, target);
  if (report.run.shard !== null) return 'conforms';
  const isShort = decided * 100 < asked * within || unmetProfiles(report, target).length > 0;
  return isShort ? 'undecided' : 'conforms';
}

/** The required profiles that the target does not meet. Profiles of other contracts do not apply. */
export function unmetProfiles(
  { run }: ConformanceReport,
  { profiles = [] }: TargetResult,
): NonNullable<TargetResult['profiles']> {
  return profiles.filter(({ name, met }) => !met && run.requiredProfiles?.includes(name) === true);
}

/** How much was decided of what the target file lets a run exercise, and the required percentage. */
export interface Decisions {
  readonly decided: number;
  /** Stated requirements that the target file lets a run exercise. */
  readonly within: number;
  readonly asked: number;
}

/** Counts the stated requirements of one target. */
export function decisions(report: ConformanceReport, { name }: TargetResult): Decisions {
  const { run } = report;
  const within = resultsOf(report, name).filter(
    (result) => result.strength === 'stated' && isWithinReach(result, run.partial),
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
 * False if the requirement needs a line that the target file does not have, or a response that no case provokes. In an
 * unfinished run it is unknown which, so cases that did not run count as within reach.
 */
function isWithinReach({ verdict, gaps, cases }: RequirementResult, partial: boolean): boolean {
  if (verdict !== 'not-exercised') return true;
  const isKnown = partial || cases.length > 0;
  return gaps.some(({ line, presumed }) => line === undefined && (isKnown || presumed !== true));
}

/** If stated requirements were selected, at least one of them must have been observed. */
function exercised({ summary: { stated, implied, open } }: TargetResult): boolean {
  if (stated.total > 0) return stated.passed + stated.waived > 0;
  return implied.passed + implied.warned + implied.waived + open.observed > 0;
}

/** Declared deviations that no longer exist. A partial run cannot show that. */
function healedOf({ run, requirements }: ConformanceReport): readonly RequirementResult[] {
  if (run.shard !== null || run.partial) return [];
  return requirements.filter(({ deviation }) => deviation?.state === 'healed');
}

/**
 * 0 conforms, 1 violates, 4 the suite failed, 5 too little was decided. `strict` also returns 1 for a broken implied
 * requirement, and for a healed deviation, since it would hide the next violation. A shard may skip some targets.
 */
export function exitCode(
  report: ConformanceReport,
  { strict }: { readonly strict: boolean },
): 0 | 1 | 4 | 5 {
  const conclusions = new Set(report.targets.map((target) => conclude(report, target)));
  const warned = report.targets.some(({ summary }) => summary.implied.warned > 0);
  if (conclusions.has('violates') || (strict && (warned || healedOf(report).length > 0))) return 1;
  if (conclusions.has('unjudged') || ofSuite(report).length > 0) return 4;
  // With more shards than cases, a shard may be empty, which is not an error.
  if (report.run.shard !== null && !report.run.partial && report.cases.length === 0) return 0;
  const mayBeMixed = report.run.shard !== null;
  return conclusions.has('conforms') && (mayBeMixed || conclusions.size === 1) ? 0 : 5;
}

/** A sentence about what fails the run only because of `strict`. Undefined if nothing does. */
export function brokenWhenStrict(report: ConformanceReport): string | undefined {
  if (exitCode(report, { strict: false }) === 1) return undefined;
  const warned = sum(report.targets, ({ summary }) => summary.implied.warned);
  const healed = healedOf(report).length;
  const reasons = [
    ...(warned > 0 ? [`${plural(warned, 'implied requirement')} broken`] : []),
    ...(healed > 0 ? [`${plural(healed, 'declared deviation')} healed, to be taken out`] : []),
  ];
  return reasons.length === 0
    ? undefined
    : `This fails the run for --strict alone: ${reasons.join(', ')}.`;
}

export interface MissingGroup {
  /** The lines to add to the target file. Absent if none would help. */
  readonly line?: string;
  readonly reasons: readonly string[];
  /** At least one requirement that was not exercised without the lines. */
  readonly requirements: readonly string[];
}

/** The groups of one target: those with lines first, most helpful first. */
export function missingGroups(report: ConformanceReport, target: string): readonly MissingGroup[] {
  const missing = resultsOf(report, target).flatMap(({ id, verdict, gaps }) =>
    gaps
      .filter(({ kind }) => kind !== 'inconclusive')
      .map(({ line, reason }) => ({ line, reason, ids: verdict === 'not-exercised' ? [id] : [] })),
  );
  return [...grouped(missing, ({ line, reason }) => line ?? `because ${reason}`).values()]
    .map((group) => ({
      ...present({ line: group[0]?.line }),
      reasons: distinct(group.map(({ reason }) => reason)),
      requirements: distinct(group.flatMap(({ ids }) => ids)),
    }))
    .filter(({ requirements }) => requirements.length > 0)
    .toSorted(
      (left, right) =>
        Number(left.line === undefined) - Number(right.line === undefined) ||
        right.requirements.length - left.requirements.length ||
        byText(left.line ?? left.reasons.join(), right.line ?? right.reasons.join()),
    );
}

export interface MissingLine {
  readonly line: string;
  /** Requirements that need this line, perhaps among others. */
  readonly requirements: readonly string[];
}

/** The lines of all groups, each once, most needed first. */
export function missingLines(groups: readonly MissingGroup[]): readonly MissingLine[] {
  const needed = groups.flatMap(({ line = '', requirements }) =>
    line.split('\n').map((each) => ({ line: each, requirements })),
  );
  return [...grouped(needed, ({ line }) => line)]
    .filter(([line]) => line !== '')
    .map(([line, all]) => ({
      line,
      requirements: distinct(all.flatMap(({ requirements }) => requirements)),
    }))
    .toSorted(
      (left, right) =>
        right.requirements.length - left.requirements.length || byText(left.line, right.line),
    );
}

/** Returns `Shard 2 of 2 is missing`. Undefined if none is. */
export function missingShardsText(report: ConformanceReport): string | undefined {
  const missing = missingShards(report);
  if (missing.length === 0) return undefined;
  const of = report.run.parts?.[0]?.shard.of ?? 0;
  if (missing.length === 1) return `Shard ${missing.join()} of ${of} is missing`;
  return `Shards ${missing.slice(0, -1).join(', ')} and ${missing.at(-1)} of ${of} are missing`;
}

/** The report for display: a requirement without a case may have been judged by a missing shard. */
export function withMissingShards(report: ConformanceReport): ConformanceReport {
  const reason = missingShardsText(report);
  if (reason === undefined) return report;
  return {
    ...report,
    requirements: report.requirements.map((result) =>
      result.verdict === 'not-exercised' && result.gaps.every(({ presumed }) => presumed === true)
        ? { ...result, reason, gaps: [{ kind: 'not-exercised', reason, presumed: true }] }
        : result,
    ),
  };
}

export interface DeviationLine {
  readonly result: RequirementResult;
  readonly deviation: KnownDeviation;
  /** What the deviation is, and what to do about it. */
  readonly text: string;
}

const order: readonly KnownDeviation['state'][] = ['expired', 'healed', 'waived', 'unseen'];

/** The deviations of one target, those that need action first. */
export function deviationLines(
  report: ConformanceReport,
  target: string,
): readonly DeviationLine[] {
  return resultsOf(report, target)
    .flatMap((result) => {
      const { deviation } = result;
      return deviation === undefined
        ? []
        : [{ result, deviation, text: texts[deviation.state](deviation, result) }];
    })
    .toSorted(byKey(({ result, deviation }) => `${order.indexOf(deviation.state)} ${result.id}`));
}

const texts: Readonly<
  Record<KnownDeviation['state'], (declared: KnownDeviation, result: RequirementResult) => string>
> = {
  waived: ({ expires, reason }) => `broken, and accepted until ${expires}: ${reason}`,
  expired: ({ expires, reason }) =>
    `broken, and accepted no longer since ${expires}: mend it, or declare a later end (${reason})`,
  healed: ({ reason }) => `healed: take it out of the deviations (${reason})`,
  unseen: ({ reason }, { verdict }) =>
    verdict === 'passed'
      ? `held as far as it was exercised; it may be broken in the rest (${reason})`
      : `${verdict}, so nothing can be said of it (${reason})`,
};

/** Requirements of a target that held only on a later try, in a sentence. Undefined without any. */
export function laterTriesText(
  report: ConformanceReport,
  { name }: TargetResult,
): string | undefined {
  const late = resultsOf(report, name).flatMap(({ id, verdict, tries }) =>
    tries !== undefined && standings[verdict] === 'held' ? [`${id} (${tries} tries)`] : [],
  );
  if (late.length === 0) return undefined;
  return `${plural(late.length, 'requirement')} held on a later try alone: ${late.join(', ')}`;
}
