/** Why a verdict changed, as far as two results can tell. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../../schemas/report.ts';
import { byText } from './text.ts';

/** One requirement of one target in one result. */
export interface Side {
  readonly report: ConformanceReport;
  readonly target: TargetResult;
  readonly result: RequirementResult | undefined;
}

/**
 * - `unstable`: later results of one deployment disagree.
 * - `catalogue`: the requirement itself is new, gone or another one.
 * - `selection`: one of the runs left it out, or ended before it.
 * - `deviation`: what is declared of it changed.
 * - `fixtures`: what the target file offers for it changed.
 * - `suite`: the suite itself failed, or something kept it from judging.
 * - `target`: none of these, so the deployment answers differently.
 */
export type Cause =
  | 'unstable'
  | 'catalogue'
  | 'selection'
  | 'deviation'
  | 'fixtures'
  | 'suite'
  | 'target';

export interface Caused {
  readonly cause: Cause;
  readonly because: string;
}

/** The first cause that applies; `unlike` is true when the later results disagree. */
export function causeOf(before: Side, after: Side, unlike: boolean): Caused {
  if (unlike) {
    return { cause: 'unstable', because: 'the later results of the same deployment disagree' };
  }
  const [one, two] = [before.result, after.result];
  if (one === undefined || two === undefined) return absence(before, after);
  return (
    redefined(one, two) ??
    declared(one, two) ??
    unfinished(before, after) ??
    kept(one, two) ??
    offered(one, two) ??
    answered(before, after)
  );
}

function absence(before: Side, after: Side): Caused {
  const side = before.result === undefined ? 'before' : 'after';
  const { report } = before.result === undefined ? before : after;
  const sameCatalogue = before.report.tool.catalogueDigest === after.report.tool.catalogueDigest;
  if (sameCatalogue || report.run.selection.length > 0) {
    return { cause: 'selection', because: `the run ${side} left it out` };
  }
  return { cause: 'catalogue', because: `the catalogue ${side} does not have it` };
}

function redefined(one: RequirementResult, two: RequirementResult): Caused | undefined {
  if (one.strength !== two.strength) {
    return { cause: 'catalogue', because: `it was ${one.strength} and is ${two.strength}` };
  }
  const same =
    one.statement === two.statement && one.clause === two.clause && one.judged === two.judged;
  return same ? undefined : { cause: 'catalogue', because: 'the catalogue states it differently' };
}

function declared(one: RequirementResult, two: RequirementResult): Caused | undefined {
  const broken = (result: RequirementResult) => result.violations > 0;
  if (!broken(one) || !broken(two)) return undefined;
  if (two.deviation?.state === 'expired') {
    return { cause: 'deviation', because: `its deviation expired on ${two.deviation.expires}` };
  }
  return {
    cause: 'deviation',
    because:
      two.verdict === 'waived'
        ? 'a deviation is declared now'
        : 'no deviation is declared any more',
  };
}

function unfinished(before: Side, after: Side): Caused | undefined {
  const cut = ({ report, result }: Side) =>
    result?.verdict === 'not-exercised' && (report.run.partial || report.run.shard !== null);
  if (!cut(before) && !cut(after)) return undefined;
  const side = cut(before) ? 'before' : 'after';
  return { cause: 'selection', because: `the run ${side} is a part of a run` };
}

function kept(one: RequirementResult, two: RequirementResult): Caused | undefined {
  const [result, side] =
    two.verdict === 'error' || two.verdict === 'inconclusive' ? [two, 'after'] : [one, 'before'];
  if (result.verdict !== 'error' && result.verdict !== 'inconclusive') return undefined;
  return { cause: 'suite', because: `${result.verdict} ${side}: ${result.reason ?? ''}` };
}

/** Lines of the target file that a result asks for. */
function wanted({ gaps }: RequirementResult): readonly string[] {
  return [...new Set(gaps.flatMap(({ line }) => line ?? []))].toSorted(byText);
}

function offered(one: RequirementResult, two: RequirementResult): Caused | undefined {
  const [were, are] = [wanted(one), wanted(two)];
  const gone = were.filter((line) => !are.includes(line));
  const come = are.filter((line) => !were.includes(line));
  if (gone.length + come.length === 0) return undefined;
  const because = [
    ...gone.map((line) => `offered now: ${line}`),
    ...come.map((line) => `missing now: ${line}`),
  ];
  return { cause: 'fixtures', because: because.join('; ') };
}

function answered(before: Side, after: Side): Caused {
  const moved = before.target.baseUrl !== after.target.baseUrl;
  const seeds = [before.report.run.seed, after.report.run.seed] as const;
  const where = moved
    ? `${after.target.baseUrl} answers unlike ${before.target.baseUrl}`
    : 'the same address answers differently';
  const luck =
    seeds[0] === seeds[1]
      ? ''
      : `; the seeds differ (${seeds[0]} and ${seeds[1]}), so run it again with the earlier one to be sure`;
  return { cause: 'target', because: `${where}${luck}` };
}
