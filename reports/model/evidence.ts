/** The combined observations of all cases, for each requirement and for the traffic. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type {
  ConformanceReport,
  Finding,
  Gap,
  Recording,
  RequirementResult,
  TargetResult,
  TrafficRow,
} from '../../schemas/report.ts';
import { byKey, distinct, grouped, present, sum } from './text.ts';

/** The observations of one requirement. */
export interface Evidence {
  readonly seen: number;
  /** The most tries that a case needed until it passed. */
  readonly tries: number;
  readonly violations: number;
  /** Distinct violations, the simplest request first. */
  readonly findings: readonly Finding[];
  readonly gaps: readonly Gap[];
  readonly recordings: readonly Recording[];
  /** Cases that judge it. */
  readonly cases: readonly string[];
  /** Errors of our own in these cases. */
  readonly errors: readonly string[];
  readonly sample: string | undefined;
}

/** The command that judges a requirement again, which the case `finder` found broken. */
type ReplayOf = (requirement: string, finder: string) => string;

/** Evidence by requirement id. The outcomes belong to one target and are in a stable order. */
export function gatherEvidence(
  outcomes: readonly CaseOutcome[],
  replayOf: ReplayOf,
): ReadonlyMap<string, Evidence> {
  const exchanges = exchangesById(outcomes.flatMap((outcome) => outcome.exchanges));
  const tellings = outcomes.flatMap((outcome) => tellingsOf(outcome, replayOf));
  const byRequirement = grouped(tellings, ([requirement]) => requirement);
  return new Map(
    Array.from(byRequirement, ([requirement, all]) => [
      requirement,
      together(
        all.map(([, evidence]) => evidence),
        exchanges,
      ),
    ]),
  );
}

/** The observations of one case about one requirement. */
type Telling = readonly [requirement: string, evidence: Partial<Evidence>];

function tellingsOf(outcome: CaseOutcome, replayOf: ReplayOf): readonly Telling[] {
  const { case: name, seen, tries = {}, findings, gaps, recordings, judges, samples } = outcome;
  const errors = outcome.errors.map(({ message }) => message);
  return [
    ...Object.entries(seen).map(([id, times]): Telling => [id, { seen: times }]),
    ...Object.entries(tries).map(([id, times]): Telling => [id, { tries: times }]),
    ...findings.map(({ requirement, count = 1, ...found }): Telling => {
      const exchange = found.exchanges[0] ?? null;
      const replay = replayOf(requirement, name);
      const finding = { ...found, case: name, count, exchange, replay };
      return [requirement, { violations: count, findings: [finding] }];
    }),
    ...gaps.map(({ requirement, kind, reason, line, begun }): Telling => [
      requirement,
      { gaps: [{ case: name, kind, reason, ...present({ line, begun }) }] },
    ]),
    ...recordings.map(({ requirement, note, exchange }): Telling => [
      requirement,
      { recordings: [{ note, count: 1, ...present({ exchange }) }] },
    ]),
    ...judges.map((id): Telling => [id, { cases: [name], errors }]),
    ...Object.entries(samples).map(([id, sample]): Telling => [id, { sample }]),
  ];
}

const KEPT_FINDINGS = 25;
const KEPT_RECORDINGS = 25;

/**
 * Combines the evidence of several cases or shards about one requirement. Repetitions are counted, and the findings
 * with the simplest requests are kept. The first of equal findings is cited, so the order of `parts` matters.
 */
export function together(parts: readonly Partial<Evidence>[], exchanges: ExchangesById): Evidence {
  const size = ({ exchanges: [id = ''] }: Finding) => requestSize(exchanges.get(id));
  return {
    seen: sum(parts, ({ seen = 0 }) => seen),
    tries: parts.reduce((most, { tries = 1 }) => Math.max(most, tries), 1),
    violations: sum(parts, ({ violations = 0 }) => violations),
    findings: counted(
      parts.flatMap(({ findings = [] }) => findings),
      ({ message, expected, actual }) => [message, expected, actual].join('\n'),
      (one, two) => ({ ...one, count: one.count + two.count }),
    )
      .toSorted((left, right) => size(left) - size(right))
      .slice(0, KEPT_FINDINGS),
    gaps: counted(
      parts.flatMap(({ gaps = [] }) => gaps),
      ({ kind, reason, line = '', case: name = '' }) => [kind, reason, line, name].join('\n'),
      (_, latest) => latest,
    ),
    recordings: counted(
      parts.flatMap(({ recordings = [] }) => recordings),
      ({ note }) => note,
      (one, two) => ({ ...two, ...one, count: one.count + two.count }),
    ).slice(0, KEPT_RECORDINGS),
    cases: distinct(parts.flatMap(({ cases = [] }) => cases)),
    errors: distinct(parts.flatMap(({ errors = [] }) => errors)),
    sample: parts.find(({ sample }) => sample !== undefined)?.sample,
  };
}

export type ExchangesById = ReadonlyMap<string, ReportedExchange>;

/** The exchanges by id. Of several with the same id, the last one. */
export function exchangesById(exchanges: readonly ReportedExchange[]): ExchangesById {
  return new Map(exchanges.map((exchange) => [exchange.id, exchange]));
}

/** The results of one target. */
export function resultsOf(
  { requirements }: Pick<ConformanceReport, 'requirements'>,
  name: string,
): readonly RequirementResult[] {
  return requirements.filter(({ target }) => target === name);
}

/** The results of one target by requirement id. */
export function resultsById(
  report: ConformanceReport,
  { name }: Pick<TargetResult, 'name'>,
): ReadonlyMap<string, RequirementResult> {
  return new Map(resultsOf(report, name).map((result) => [result.id, result]));
}

/** Characters of the URL plus bytes of the body: the simplest request is the easiest to understand. */
export function requestSize(exchange: ReportedExchange | undefined): number {
  if (exchange === undefined) return Number.MAX_SAFE_INTEGER;
  return exchange.request.url.length + exchange.request.body.bytes;
}

/** The duration of a requirement in milliseconds: that of its longest case, 0 without a case. */
export function timesOf(report: ConformanceReport): (result: RequirementResult) => number {
  const key = (target: string, name: string) => `${target}\n${name}`;
  const times = new Map(
    report.cases.map((one) => [key(one.target, one.case), one.durationMs] as const),
  );
  return ({ target, cases }) =>
    Math.max(0, ...cases.map((name) => times.get(key(target, name)) ?? 0));
}

const KEPT_LATENCIES = 400;

/** An even sample of ascending numbers, with the first and the last one. */
export function evenSample(sorted: readonly number[], limit: number): readonly number[] {
  if (sorted.length <= limit) return sorted;
  const step = (sorted.length - 1) / (limit - 1);
  return Array.from({ length: limit }, (_, index) => sorted[Math.round(index * step)] ?? 0);
}

/** Merges rows with the same key, in the order of the keys. */
export function counted<T>(
  rows: readonly T[],
  key: (row: T) => string,
  add: (one: T, two: T) => T,
): readonly T[] {
  const merged = new Map<string, T>();
  for (const row of rows) {
    const known = merged.get(key(row));
    merged.set(key(row), known === undefined ? row : add(known, row));
  }
  return [...merged].toSorted(byKey(([name]) => name)).map(([, value]) => value);
}

/** Operation, status and code as a sort key. */
function trafficKey({ operation, status, code }: Omit<TrafficRow, 'count' | 'latencies'>): string {
  return `${operation}\n${String(status).padStart(3, '0')}\n${code}`;
}

/** Merges rows with the same operation, status and code, and sorts them by these. `kept` limits the latencies of each. */
export function mergeTraffic(
  rows: readonly TrafficRow[],
  kept = KEPT_LATENCIES,
): readonly TrafficRow[] {
  return [...grouped(rows, trafficKey)].toSorted(byKey(([key]) => key)).flatMap(([, alike]) => {
    const latencies = alike.flatMap((row) => row.latencies).toSorted((left, right) => left - right);
    const count = sum(alike, (row) => row.count);
    return alike
      .slice(0, 1)
      .map((row) => ({ ...row, count, latencies: evenSample(latencies, kept) }));
  });
}

/** How often each section of the suite met each status and code. */
export function provocationsOf(outcomes: readonly CaseOutcome[]): TargetResult['provocations'] {
  return mergeProvocations(
    outcomes.flatMap(({ section, traffic }) =>
      traffic.map(({ status, code, count }) => ({ section, status, code, count })),
    ),
  );
}

/** Merges rows with the same section, status and code. */
export function mergeProvocations(
  rows: TargetResult['provocations'],
): TargetResult['provocations'] {
  return counted(
    rows,
    ({ section, ...row }) => trafficKey({ operation: section, ...row }),
    (one, two) => ({ ...one, count: one.count + two.count }),
  );
}

/** The sum of all state changes, sorted by name. */
export function mergeTransitions(
  all: readonly Pick<CaseOutcome, 'transitions'>[],
): Record<string, number> {
  return Object.fromEntries(
    counted(
      all.flatMap(({ transitions }) => Object.entries(transitions)),
      ([change]) => change,
      ([change, one], [, two]): [string, number] => [change, one + two],
    ),
  );
}
