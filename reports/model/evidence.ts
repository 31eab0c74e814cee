/** What all cases together saw of each requirement, and of the traffic. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { CaseOutcome, OutcomeFinding, TrafficRow } from '../../schemas/outcome.ts';
import type {
  ConformanceReport,
  Gap,
  Recording,
  RequirementResult,
  TargetResult,
  TrafficSummary,
} from '../../schemas/report.ts';
import { byKey, distinct, grouped, present, sum } from './text.ts';

/** A violation with the case that found it and how often exactly this was found. */
export interface FoundViolation extends Omit<OutcomeFinding, 'requirement' | 'count'> {
  readonly case: string;
  readonly count: number;
}

/** What was seen of one requirement. */
export interface Evidence<F = FoundViolation> {
  readonly seen: number;
  /** Most tries that a case needed until it was right. */
  readonly tries: number;
  readonly violations: number;
  /** Distinct violations, the simplest request first. */
  readonly findings: readonly F[];
  readonly gaps: readonly Gap[];
  readonly recordings: readonly Recording[];
  /** Cases that set out to judge it. */
  readonly cases: readonly string[];
  /** What went wrong on our own side in those cases. */
  readonly errors: readonly string[];
  readonly sample: string | undefined;
}

/** Evidence by requirement id. Outcomes are those of one target, in a stable order. */
export function gatherEvidence(outcomes: readonly CaseOutcome[]): ReadonlyMap<string, Evidence> {
  const exchanges = exchangesById(outcomes.flatMap((outcome) => outcome.exchanges));
  const byRequirement = grouped(outcomes.flatMap(tellingsOf), ([requirement]) => requirement);
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

/** What one case says of one requirement. */
type Telling = readonly [requirement: string, evidence: Partial<Evidence>];

function tellingsOf(outcome: CaseOutcome): readonly Telling[] {
  const { case: name, seen, tries = {}, findings, gaps, recordings, judges, samples } = outcome;
  const errors = outcome.errors.map(({ message }) => message);
  return [
    ...Object.entries(seen).map(([id, times]): Telling => [id, { seen: times }]),
    ...Object.entries(tries).map(([id, times]): Telling => [id, { tries: times }]),
    ...findings.map(({ requirement, count = 1, ...found }): Telling => [
      requirement,
      { violations: count, findings: [{ ...found, case: name, count }] },
    ]),
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
 * What several cases, or shards, saw of one requirement: what is said twice stands once, with its number. Of findings those
 * with the simplest requests are kept. The first that tells is cited, so who joins shards puts them in an order.
 */
export function together<
  F extends Pick<FoundViolation, 'message' | 'expected' | 'actual' | 'exchanges' | 'count'>,
>(parts: readonly Partial<Evidence<F>>[], exchanges: ExchangesById): Evidence<F> {
  const size = ({ exchanges: [id = ''] }: F) => requestSize(exchanges.get(id));
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

/** Exchanges by their ids. */
export type ExchangesById = ReadonlyMap<string, ReportedExchange>;

/** The exchanges by their ids; of several with one id the last. */
export function exchangesById(exchanges: readonly ReportedExchange[]): ExchangesById {
  return new Map(exchanges.map((exchange) => [exchange.id, exchange]));
}

/** The results of the target of this name. */
export function resultsOf(
  { requirements }: Pick<ConformanceReport, 'requirements'>,
  name: string,
): readonly RequirementResult[] {
  return requirements.filter(({ target }) => target === name);
}

/** The same by the ids of their requirements. */
export function resultsById(
  report: ConformanceReport,
  { name }: Pick<TargetResult, 'name'>,
): ReadonlyMap<string, RequirementResult> {
  return new Map(resultsOf(report, name).map((result) => [result.id, result]));
}

/** Characters of a request line and bytes of its body: the simplest request is the easiest to understand. */
export function requestSize(exchange: ReportedExchange | undefined): number {
  if (exchange === undefined) return Number.MAX_SAFE_INTEGER;
  return exchange.request.url.length + exchange.request.body.bytes;
}

/** How long a requirement took: its longest case, in milliseconds; 0 for what only the exchanges of others showed. */
export function timesOf(report: ConformanceReport): (result: RequirementResult) => number {
  const key = (target: string, name: string) => `${target}\n${name}`;
  const times = new Map(
    report.cases.map((one) => [key(one.target, one.case), one.durationMs] as const),
  );
  return ({ target, cases }) =>
    Math.max(0, ...cases.map((name) => times.get(key(target, name)) ?? 0));
}

const KEPT_LATENCIES = 400;

/** An even sample of numbers in ascending order, first and last included. */
export function evenSample(sorted: readonly number[], limit: number): readonly number[] {
  if (sorted.length <= limit) return sorted;
  const step = (sorted.length - 1) / (limit - 1);
  return Array.from({ length: limit }, (_, index) => sorted[Math.round(index * step)] ?? 0);
}

/** Rows with one key become one row; in the order of the keys. */
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

/** Operation, status and code of a row, as a text that sorts. */
function trafficKey({
  operation,
  status,
  code,
}: Omit<TrafficSummary, 'count' | 'latencies'>): string {
  return `${operation}\n${String(status).padStart(3, '0')}\n${code}`;
}

/** Rows with the same operation, status and code become one; sorted by these three. `kept` bounds the latencies of each. */
export function mergeTraffic(
  rows: readonly TrafficRow[],
  kept = KEPT_LATENCIES,
): readonly TrafficSummary[] {
  return [...grouped(rows, trafficKey)].toSorted(byKey(([key]) => key)).flatMap(([, alike]) => {
    const latencies = alike.flatMap((row) => row.latencies).toSorted((left, right) => left - right);
    const count = sum(alike, (row) => row.count);
    return alike
      .slice(0, 1)
      .map((row) => ({ ...row, count, latencies: evenSample(latencies, kept) }));
  });
}

/** Which section of the suite met which status and code, and how often. */
export function provocationsOf(outcomes: readonly CaseOutcome[]): TargetResult['provocations'] {
  return mergeProvocations(
    outcomes.flatMap(({ section, traffic }) =>
      traffic.map(({ status, code, count }) => ({ section, status, code, count })),
    ),
  );
}

/** Rows with the same section, status and code become one. */
export function mergeProvocations(
  rows: TargetResult['provocations'],
): TargetResult['provocations'] {
  return counted(
    rows,
    ({ section, ...row }) => trafficKey({ operation: section, ...row }),
    (one, two) => ({ ...one, count: one.count + two.count }),
  );
}

/** State changes of all, summed, in the order of their names. */
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
