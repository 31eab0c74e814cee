/** The results of one requirement from several shards, as the one result that a single run would give. */

import type { ConformanceReport, Finding, Gap, RequirementResult } from '../../schemas/report.ts';
import { judgedMembers, verdictOf, withDeviation } from './verdict.ts';
import { type Evidence, type ExchangesById, exchangesById, together } from './evidence.ts';
import { byKey, distinct, grouped, present } from './text.ts';

/** One result for each target and requirement, in the order of the single run. */
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

/** What one report says, and whether a run that it is made of was cut short. */
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
  const evidence = mergedEvidence(results, exchanges);
  const judged = verdictOf(
    { strength: same.strength, presumedGaps: () => presumedGaps(shares) },
    evidence,
    shares.some(({ cut }) => cut),
  );
  const { target, id, clause, where, section, strength, statement } = same;
  return {
    target,
    id,
    clause,
    ...present({ where }),
    section,
    strength,
    statement,
    ...present({ judged: same.judged }),
    ...judgedMembers(withDeviation(judged, same.deviation, run), evidence),
  };
}

/** The first case by name tells of a violation, and the first exchange of a recording, whatever the order of the shards. */
function mergedEvidence(
  results: readonly RequirementResult[],
  exchanges: ExchangesById,
): Evidence<Finding> {
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
      // What was only presumed is presumed again from all the evidence.
      gaps: gaps.filter(({ presumed }) => presumed !== true),
      cases,
      errors,
    }),
  );
  return together([inOrder, ...others], exchanges);
}

const LAST = '\uFFFF';

/** What a whole run without any case would presume: said by a shard that was not cut short and had no case of it. */
function presumedGaps(shares: readonly Share[]): readonly Gap[] {
  const untried = shares.filter(({ result }) => result.cases.length === 0);
  const whole = untried.find(({ cut }) => !cut) ?? untried[0];
  return whole?.result.gaps.filter(({ presumed }) => presumed === true) ?? [];
}
