/** Many results of the same targets in order of time. */

import type { ConformanceReport, RequirementResult, TargetResult } from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { resultsById } from './evidence.ts';
import { byKey, grouped, present } from './text.ts';
import { type Standing, standings } from './verdict.ts';
import { scopeOf } from './wording.ts';

/** One run of one target. */
export type TrendPoint = ReturnType<typeof pointOf>;

/** - `broken` failed or warned, `held` passed, `waived`, `unjudged` neither, `absent` not in that run. */
export type Mark = Standing | 'absent';

/** A requirement that was broken or waived in at least one run. */
export interface TrendRow {
  readonly id: string;
  readonly statement: string;
  /** One for each point, in the same order. */
  readonly marks: readonly Mark[];
  /** Since when it has been broken. Absent if it held in the last run that judged it. */
  readonly brokenSince?: string;
  /** How often it changed from held to broken or back. */
  readonly turns: number;
}

export interface Trend {
  readonly target: string;
  readonly contract: Contract;
  readonly points: readonly TrendPoint[];
  /** Currently broken ones first, then those with most changes. */
  readonly rows: readonly TrendRow[];
}

/** One trend per target, by contract and name. Repeated results of the same run count once. */
export function trendsOf(reports: readonly ConformanceReport[]): readonly Trend[] {
  const distinct = new Map(
    reports.map((report) => {
      const { startedAt, id, shard } = report.run;
      return [`${startedAt} ${id} ${shard?.index ?? ''}`, report];
    }),
  );
  const inTime = [...distinct].toSorted(byKey(([key]) => key)).map(([, report]) => report);
  const runsOfAll = inTime.flatMap((report): readonly Run[] =>
    report.targets.map((target) => ({ report, target })),
  );
  const groups = grouped(runsOfAll, ({ target }) => `${target.contract}\n${target.name}`);
  return [...groups].toSorted(byKey(([key]) => key)).flatMap(([, runs]) => {
    const [first] = runs;
    if (first === undefined) return [];
    const { name, contract } = first.target;
    return [{ target: name, contract, points: runs.map(pointOf), rows: rowsOf(runs) }];
  });
}

type Run = { readonly report: ConformanceReport; readonly target: TargetResult };

function pointOf({ report, target }: Run) {
  return {
    startedAt: report.run.startedAt,
    version: report.tool.version,
    catalogue: report.tool.catalogueDigest,
    baseUrl: target.baseUrl,
    stated: target.summary.stated,
    warned: target.summary.implied.warned,
    /** Why it is not a whole run; `''` for a whole one. */
    scope: scopeOf(report),
  };
}

function rowsOf(runs: readonly Run[]): readonly TrendRow[] {
  const byRun = runs.map(({ report, target }) => resultsById(report, target));
  const known = new Map(byRun.flatMap((results) => [...results]));
  return [...known]
    .map(([id, { statement }]) =>
      rowOf(
        id,
        statement,
        byRun.map((results) => markOf(results.get(id))),
        runs,
      ),
    )
    .filter(({ marks }) => marks.includes('broken') || marks.includes('waived'))
    .toSorted(
      (left, right) =>
        Number(left.brokenSince === undefined) - Number(right.brokenSince === undefined) ||
        right.turns - left.turns ||
        byKey<TrendRow>(({ id }) => id)(left, right),
    );
}

function rowOf(
  id: string,
  statement: string,
  marks: readonly Mark[],
  runs: readonly Run[],
): TrendRow {
  const judged = marks.flatMap((mark, at) =>
    mark === 'broken' || mark === 'held' ? [{ mark, at }] : [],
  );
  const turns = judged.filter(({ mark }, at) => at > 0 && judged[at - 1]?.mark !== mark).length;
  const lastHeld = judged.findLastIndex(({ mark }) => mark === 'held');
  const since = judged[lastHeld + 1];
  const startedAt = since === undefined ? undefined : runs[since.at]?.report.run.startedAt;
  return { id, statement, marks, turns, ...present({ brokenSince: startedAt }) };
}

function markOf(result: RequirementResult | undefined): Mark {
  return result === undefined ? 'absent' : standings[result.verdict];
}
