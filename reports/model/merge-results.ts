/** Merges the results of a requirement from several shards into the result that a single run would give. */

import type { ConformanceReport, Gap, RequirementResult } from '../../schemas/report.ts';
import { resultOf } from './verdict.ts';
import { type Evidence, type ExchangesById, exchangesById, together } from './evidence.ts';
import { byKey, distinct, grouped, present } from './text.ts';

/** One result per target and requirement, in the order of a single run. */
export function mergeResults(
  reports: readonly ConformanceReport[],
  run: ConformanceReport['run'],
): readonly RequirementResult[] {
  const exchanges = exchangesById(reports.flatMap((report) => report.exchanges));
  const shares = reports.flatMap((report): readonly Share[] => {
    const cut = report.run.parts?.some(({ partial }) => partial) ?? report.run.partial;
    return report.requirements.map((result) => ({ result, cut }));
  });
  return [...grouped(shares, ({ result }) => `${result.target}\n${result.id}`)]
    .toSorted(byKey(([key]) => key))
    .flatMap(([, [first, ...others]]) =>
      first === undefined ? [] : [mergedResult([first, ...others], run, exchanges)],
    );
}

/** The result in one report, and whether one of its runs was cut short. */
interface Share {
  readonly result: RequirementResult;
  readonly cut: boolean;
}

function mergedResult(
  shares: readonly [Share, ...Share[]],
  run: ConformanceReport['run'],
  exchanges: ExchangesById,
): RequirementResult {
  const results = shares.map(({ result }) => result);
  const [{ result: same }] = shares;
  return resultOf(same, mergedEvidence(results, exchanges), {
    presumedGaps: presumedGaps(shares),
    partial: shares.some(({ cut }) => cut),
    declared: same.deviation,
    startedAt: run.startedAt,
  });
}

/** Sorts findings by case and recordings by exchange, so that the order of the shards does not matter. */
function mergedEvidence(results: readonly RequirementResult[], exchanges: ExchangesById): Evidence {
  const [sample] = distinct(results.flatMap((result) => result.sample ?? []));
  const inOrder = {
    findings: results
      .flatMap(({ findings }) => findings)
      .toSorted(byKey((one) => [one.case, ...one.exchanges].join('\n'))),
    recordings: results
      .flatMap(({ recordings }) => recordings)
      .toSorted(byKey(({ exchange = LAST }) => exchange)),
    ...present({ sample }),
  };
  const others = results.map(
    ({ observations, tries = 1, violations, gaps, cases, errors = [] }) => ({
      seen: observations,
      tries,
      violations,
      // Presumed gaps are derived again from all the evidence.
      gaps: gaps.filter(({ presumed }) => presumed !== true),
      cases,
      errors,
    }),
  );
  return together([inOrder, ...others], exchanges);
}

const LAST = '\uFFFF';

/** The presumed gaps of a run without a case: those of a shard that had none, preferably of a complete one. */
function presumedGaps(shares: readonly Share[]): readonly Gap[] {
  const untried = shares.filter(({ result }) => result.cases.length === 0);
  const whole = untried.find(({ cut }) => !cut) ?? untried[0];
  return whole?.result.gaps.filter(({ presumed }) => presumed === true) ?? [];
}
