/** Merges the results of shards into the result of the whole run. */

import type { ConformanceReport, RunPart, TargetResult } from '../../schemas/report.ts';
import { citedExchanges, summarise } from './fold.ts';
import {
  counted,
  mergeProvocations,
  mergeTraffic,
  mergeTransitions,
  resultsOf,
} from './evidence.ts';
import { ofSuite, ofTargets } from './lost.ts';
import { mergeResults } from './merge-results.ts';
import { byKey, byText, distinct, present, sha256, sum } from './text.ts';
import { type Profiles, profilesOf } from './verdict.ts';

/** A report to merge, with the file name that the user gave. */
export interface MergeInput {
  readonly name: string;
  readonly report: ConformanceReport;
}

/** Reports that are not shards of one run, with a message for the user. */
export class Unmergeable extends Error {
  override readonly name = 'Unmergeable';
}

/** The report of all shards, partial if one is partial or missing. @throws {Unmergeable} for shards of different runs */
export function mergeReports(inputs: readonly MergeInput[], profiles: Profiles): ConformanceReport {
  requireOneRun(inputs);
  const reports = inputs
    .map(({ report }) => withShardNames(report))
    .toSorted((one, other) => firstShard(one) - firstShard(other));
  const [first] = reports;
  if (first === undefined) throw new Unmergeable('There is nothing to merge: name the reports.');
  const run = mergedRun(reports);
  const requirements = mergeResults(reports, run);
  const targets = first.targets.map((target) => {
    const { name } = target;
    const shares = reports.flatMap((report) => report.targets.filter((one) => one.name === name));
    const results = resultsOf({ requirements }, name);
    return {
      ...mergedTarget(target, shares),
      summary: summarise(results, target.summary.notSelected),
      ...profilesOf(profiles[target.contract], results),
    };
  });
  const troubles = sorted(reports, (report) => report.troubles);
  return {
    schemaVersion: first.schemaVersion,
    tool: first.tool,
    run,
    targets,
    requirements,
    exchanges: citedExchanges(
      reports.flatMap(({ exchanges }) => exchanges),
      requirements,
      troubles,
    ),
    cases: sorted(reports, ({ cases }) => cases),
    properties: sorted(reports, ({ properties }) => properties),
    troubles: [...ofTargets({ troubles }), ...ofSuite({ troubles })],
  };
}

/** Indexes of the shards that a merged report lacks. */
export function missingShards({ run: { parts = [] } }: ConformanceReport): readonly number[] {
  const there = new Set(parts.map(({ shard }) => shard.index));
  const of = parts[0]?.shard.of ?? 0;
  return Array.from({ length: of }, (_, at) => at + 1).filter((index) => !there.has(index));
}

/** The parts of a report that is a shard or was merged from shards. */
export function partsOf({ run }: ConformanceReport): readonly RunPart[] {
  if (run.parts !== undefined) return run.parts;
  const { shard, id, startedAt, durationMs, partial } = run;
  return shard === null ? [] : [{ shard, id, startedAt, durationMs, partial }];
}

function requireOneRun(inputs: readonly MergeInput[]): void {
  const taken = new Map<number, string>();
  const [first] = inputs;
  for (const { name, report } of inputs) {
    const parts = partsOf(report);
    if (parts.length === 0) {
      throw new Unmergeable(
        `${name} is no shard of a run: it was run in one piece. Run the parts with --shard 1/N to N/N, or set it beside another run with plumbline compare.`,
      );
    }
    for (const { shard } of parts) {
      const other = taken.get(shard.index);
      if (other !== undefined) {
        throw new Unmergeable(
          `Shard ${shard.index} of ${shard.of} is in both ${other} and ${name}. Name each shard once.`,
        );
      }
      taken.set(shard.index, name);
    }
    if (first !== undefined) requireSame(first, { name, report });
  }
}

/** What all shards of a run must have in common, with advice. */
const sameness: readonly (readonly [
  what: string,
  of: (report: ConformanceReport) => unknown,
  advice: string,
])[] = [
  ['schema versions', (report) => report.schemaVersion, 'Run all shards with one plumbline.'],
  ['versions of plumbline', (report) => report.tool.version, 'Run all shards with one plumbline.'],
  ['catalogues', (report) => report.tool.catalogueDigest, 'Run all shards with one plumbline.'],
  ['seeds', (report) => report.run.seed, 'Give every shard the same --seed.'],
  ['numbers of shards', (report) => partsOf(report)[0]?.shard.of, 'Give every shard the same N.'],
  ['selections', (report) => report.run.selection.join(' '), 'Give every shard the same options.'],
  [
    'targets',
    // Built-in deployments have no file, and another port in each process.
    ({ targets }) =>
      targets
        .map(({ name, contract, baseUrl, file }) =>
          file === undefined ? `${name} (built in)` : `${name} (${contract}, ${baseUrl})`,
        )
        .join('; '),
    'Run all shards against the same target files.',
  ],
  ['deviations', declaredIn, 'Give every shard the same --deviations.'],
];

function requireSame(first: MergeInput, other: MergeInput): void {
  for (const [what, of, advice] of sameness) {
    const [one, two] = [of(first.report), of(other.report)];
    if (one === two) continue;
    const shown = what === 'deviations' ? '' : `: ${String(one)} and ${String(two)}`;
    throw new Unmergeable(
      `${first.name} and ${other.name} are of different ${what}${shown}. ${advice}`,
    );
  }
}

function declaredIn({ requirements }: ConformanceReport): string {
  const declared = requirements.flatMap(({ target, id, deviation }) =>
    deviation === undefined
      ? []
      : [JSON.stringify([target, id, deviation.expires, deviation.reason, deviation.link])],
  );
  return declared.toSorted(byText).join('\n');
}

function mergedRun(reports: readonly ConformanceReport[]): ConformanceReport['run'] {
  const parts = reports.flatMap(partsOf).toSorted((a, b) => a.shard.index - b.shard.index);
  const starts = parts.map(({ startedAt }) => Date.parse(startedAt));
  const ends = parts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  const start = Math.min(...starts);
  const asked = reports.flatMap(({ run }) => run.decided ?? []);
  const required = [...new Set(reports.flatMap(({ run }) => run.requiredProfiles ?? []))];
  const ids = distinct(parts.map(({ id }) => id));
  return {
    id: sha256(ids.join('\n')).slice(0, 8),
    startedAt: new Date(start).toISOString(),
    durationMs: Math.max(...ends) - start,
    seed: reports[0]?.run.seed ?? 0,
    requests: sum(reports, ({ run }) => run.requests),
    shard: null,
    partial: parts.some(({ partial }) => partial) || parts.length < (parts[0]?.shard.of ?? 0),
    selection: reports[0]?.run.selection ?? [],
    ...(asked.length === 0 ? {} : { decided: Math.max(...asked) }),
    ...(required.length === 0 ? {} : { requiredProfiles: required }),
    parts,
  };
}

function mergedTarget(target: TargetResult, shares: readonly TargetResult[]): TargetResult {
  const { profiles: _, ...same } = target;
  return {
    ...same,
    requests: sum(shares, ({ requests }) => requests),
    retries: sum(shares, ({ retries }) => retries),
    // Latencies are not sampled again, since the result would depend on the order of merging.
    traffic: mergeTraffic(
      shares.flatMap(({ traffic }) => traffic),
      Infinity,
    ),
    provocations: mergeProvocations(shares.flatMap(({ provocations }) => provocations)),
    transitions: mergeTransitions(shares),
    brokenBeyondSelection: counted(
      shares.flatMap(({ brokenBeyondSelection }) => brokenBeyondSelection),
      ({ id }) => id,
      (one, two) => ({ id: one.id, violations: one.violations + two.violations }),
    ),
  };
}

function sorted<T extends { readonly target: string; readonly case: string }>(
  reports: readonly ConformanceReport[],
  of: (report: ConformanceReport) => readonly T[],
): readonly T[] {
  return reports
    .flatMap(of)
    .toSorted(byKey((row) => [row.target, row.case, JSON.stringify(row)].join('\n')));
}

function firstShard(report: ConformanceReport): number {
  return partsOf(report)[0]?.shard.index ?? 0;
}

/** The report with the shard index in every exchange id. A merged report already has them. */
function withShardNames(report: ConformanceReport): ConformanceReport {
  const { shard } = report.run;
  if (shard === null) return report;
  const named = (id: string): string => `${shard.index}/${id}`;
  return {
    ...report,
    exchanges: report.exchanges.map((exchange) => ({ ...exchange, id: named(exchange.id) })),
    troubles: report.troubles.map((trouble) => citing(trouble, named)),
    requirements: report.requirements.map((result) => ({
      ...result,
      ...present({ sample: result.sample && named(result.sample) }),
      findings: result.findings.map((finding) => ({
        ...citing(finding, named),
        exchanges: finding.exchanges.map(named),
      })),
      recordings: result.recordings.map((recording) => citing(recording, named)),
    })),
  };
}

/** The row with the id of its exchange replaced. */
function citing<T extends { readonly exchange?: string | null | undefined }>(
  row: T,
  nameOf: (id: string) => string,
): T {
  const { exchange } = row;
  return typeof exchange === 'string' ? { ...row, exchange: nameOf(exchange) } : row;
}
