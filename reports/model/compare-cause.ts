/** Why a verdict changed, as far as two results can show it. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../../schemas/report.ts';
import { distinct } from './text.ts';

/** One requirement of one target in one result. */
export interface Side {
  readonly report: ConformanceReport;
  readonly target: TargetResult;
  readonly result: RequirementResult | undefined;
}

/**
 * - `unstable`: later results of the same deployment disagree.
 * - `catalogue`: the requirement itself is new, gone or changed.
 * - `selection`: one of the runs left it out, or ended before it.
 * - `deviation`: its declared deviation changed.
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

/** The first cause that applies; `unlike` is true if the later results disagree. */
export function causeOf(
  before: Side,
  after: Side,
  unlike: boolean,
): { readonly cause: Cause; readonly because: string } {
  if (unlike) {
    return { cause: 'unstable', because: 'the later results of the same deployment disagree' };
  }
  const [one, two] = [before.result, after.result];
  if (one === undefined || two === undefined) return absence(before, after);
  const causes: readonly (readonly [Cause, string | undefined])[] = [
    ['catalogue', redefined(one, two)],
    ['deviation', declared(one, two)],
    ['selection', unfinished(before, after)],
    ['suite', kept(one, two)],
    ['fixtures', offered(one, two)],
  ];
  for (const [cause, because] of causes) if (because !== undefined) return { cause, because };
  return { cause: 'target', because: answered(before, after) };
}

function absence(before: Side, after: Side): ReturnType<typeof causeOf> {
  const side = before.result === undefined ? 'before' : 'after';
  const { report } = before.result === undefined ? before : after;
  const sameCatalogue = before.report.tool.catalogueDigest === after.report.tool.catalogueDigest;
  if (sameCatalogue || report.run.selection.length > 0) {
    return { cause: 'selection', because: `the run ${side} left it out` };
  }
  return { cause: 'catalogue', because: `the catalogue ${side} does not have it` };
}

function redefined(one: RequirementResult, two: RequirementResult): string | undefined {
  if (one.strength !== two.strength) return `it was ${one.strength} and is ${two.strength}`;
  const same =
    one.statement === two.statement && one.clause === two.clause && one.judged === two.judged;
  return same ? undefined : 'the catalogue states it differently';
}

function declared(one: RequirementResult, two: RequirementResult): string | undefined {
  if (one.violations === 0 || two.violations === 0) return undefined;
  if (two.deviation?.state === 'expired') {
    return `its deviation expired on ${two.deviation.expires}`;
  }
  return two.verdict === 'waived'
    ? 'a deviation is declared now'
    : 'no deviation is declared any more';
}

function unfinished(before: Side, after: Side): string | undefined {
  const cut = ({ report, result }: Side) =>
    result?.verdict === 'not-exercised' && (report.run.partial || report.run.shard !== null);
  if (!cut(before) && !cut(after)) return undefined;
  return `the run ${cut(before) ? 'before' : 'after'} is a part of a run`;
}

function kept(one: RequirementResult, two: RequirementResult): string | undefined {
  const isKept = ({ verdict }: RequirementResult) =>
    verdict === 'error' || verdict === 'inconclusive';
  if (!isKept(one) && !isKept(two)) return undefined;
  const [result, side] = isKept(two) ? [two, 'after'] : [one, 'before'];
  return `${result.verdict} ${side}: ${result.reason ?? ''}`;
}

/** The lines of the target file that a result says are missing. */
function wanted({ gaps }: RequirementResult): readonly string[] {
  return distinct(gaps.flatMap(({ line }) => line ?? []));
}

function offered(one: RequirementResult, two: RequirementResult): string | undefined {
  const [were, are] = [wanted(one), wanted(two)];
  const because = [
    ...were.filter((line) => !are.includes(line)).map((line) => `offered now: ${line}`),
    ...are.filter((line) => !were.includes(line)).map((line) => `missing now: ${line}`),
  ];
  return because.length === 0 ? undefined : because.join('; ');
}

function answered(before: Side, after: Side): string {
  const [one, two] = [before.report.run.seed, after.report.run.seed];
  const where =
    before.target.baseUrl === after.target.baseUrl
      ? 'the same address answers differently'
      : `${after.target.baseUrl} answers unlike ${before.target.baseUrl}`;
  const luck =
    one === two
      ? ''
      : `; the seeds differ (${one} and ${two}), so run it again with the earlier one to be sure`;
  return `${where}${luck}`;
}
