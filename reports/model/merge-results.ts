/** The results of one requirement from several shards, as the one result that a single run would give. */

import type {
  ConformanceReport,
  Finding,
  Gap,
  Recording,
  RequirementResult,
} from '../../schemas/report.ts';
import { judgedMembers, verdictOf, type Weighed, withDeviation } from './verdict.ts';
import { exchangesById, keptFindings, keptRecordings, sortedValues } from './evidence.ts';
import { byKey, byText, grouped, present, sum } from './text.ts';

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
    .flatMap(([, group]) => (isSome(group) ? [mergedResult(group, run, exchanges)] : []));
}

/** What one report says, and whether a run that it is made of was cut short. */
interface Share {
  readonly result: RequirementResult;
  readonly cut: boolean;
}

type Exchanges = ReturnType<typeof exchangesById>;
type Some<T> = readonly [T, ...T[]];

function isSome<T>(items: readonly T[]): items is Some<T> {
  return items.length > 0;
}

function mergedResult(
  shares: Some<Share>,
  run: ConformanceReport['run'],
  exchanges: Exchanges,
): RequirementResult {
  const results = shares.map(({ result }) => result);
  const [{ result: same }] = shares;
  const findings = mergedFindings(results, exchanges);
  const recordings = mergedRecordings(results);
  const evidence: Weighed = {
    seen: sum(results, ({ observations }) => observations),
    tries: Math.max(...results.map(({ tries = 1 }) => tries)),
    violations: sum(results, ({ violations }) => violations),
    findings,
    gaps: mergedGaps(results),
    recordings,
    cases: texts(results, ({ cases }) => cases),
    errors: texts(results, ({ errors = [] }) => errors),
    sample: results.flatMap(({ sample }) => sample ?? []).toSorted(byText)[0],
  };
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
    ...judgedMembers(withDeviation(judged, same.deviation, run), { ...evidence, findings }),
  };
}

/** Equal violations add up; the first case by name tells of them. */
function mergedFindings(
  results: readonly RequirementResult[],
  exchanges: Exchanges,
): readonly Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of results.flatMap(({ findings }) => findings)) {
    const key = [finding.message, finding.expected, finding.actual].join('\n');
    const known = merged.get(key);
    const count = finding.count + (known?.count ?? 0);
    const [first = finding] = [finding, ...(known === undefined ? [] : [known])].toSorted(
      byKey((each) => `${each.case}\n${each.exchanges.join('\n')}`),
    );
    merged.set(key, { ...first, count });
  }
  return keptFindings(merged, exchanges);
}

function mergedRecordings(results: readonly RequirementResult[]): readonly Recording[] {
  const merged = new Map<string, Recording>();
  for (const recording of results.flatMap(({ recordings }) => recordings)) {
    const known = merged.get(recording.note);
    const [exchange] = [recording.exchange, known?.exchange]
      .filter((id) => id !== undefined)
      .toSorted(byText);
    merged.set(recording.note, {
      note: recording.note,
      count: recording.count + (known?.count ?? 0),
      ...present({ exchange }),
    });
  }
  return keptRecordings(merged);
}

/** What cases or the plan said; what was only presumed is presumed again from all the evidence. */
function mergedGaps(results: readonly RequirementResult[]): readonly Gap[] {
  const merged = new Map<string, Gap>();
  for (const gap of results.flatMap(({ gaps }) => gaps)) {
    if (gap.presumed === true) continue;
    merged.set([gap.kind, gap.reason, gap.line ?? '', gap.case ?? ''].join('\n'), gap);
  }
  return sortedValues(merged);
}

/** What a whole run without any case would presume: said by a shard that was not cut short and had no case of it. */
function presumedGaps(shares: readonly Share[]): readonly Gap[] {
  const untried = shares.filter(({ result }) => result.cases.length === 0);
  const whole = untried.find(({ cut }) => !cut) ?? untried[0];
  return whole?.result.gaps.filter(({ presumed }) => presumed === true) ?? [];
}

function texts(
  results: readonly RequirementResult[],
  of: (result: RequirementResult) => readonly string[],
): readonly string[] {
  return [...new Set(results.flatMap(of))].toSorted(byText);
}
