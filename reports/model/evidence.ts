/** What all cases together saw of each requirement, and of the traffic. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { CaseOutcome, OutcomeFinding, OutcomeGap, TrafficRow } from '../../schemas/outcome.ts';
import type {
  ConformanceReport,
  Gap,
  Recording,
  RequirementResult,
  TargetResult,
  TrafficSummary,
} from '../../schemas/report.ts';
import { byKey, byText, present } from './text.ts';

/** A violation with the case that found it and how often exactly this was found. */
export interface FoundViolation extends Omit<OutcomeFinding, 'requirement' | 'count'> {
  readonly case: string;
  readonly count: number;
}

export interface CaseRecorder {
  readonly seen: number;
  /** Most tries that a case needed until it was right. */
  readonly tries: number;
  readonly violations: number;
  /** Distinct violations, the simplest request first. */
  readonly findings: readonly FoundViolation[];
  readonly gaps: readonly Gap[];
  readonly recordings: readonly Recording[];
  /** Cases that set out to judge it. */
  readonly cases: readonly string[];
  /** What went wrong on our own side in those cases. */
  readonly errors: readonly string[];
  readonly sample: string | undefined;
}

/** A gap that is known without any case, for example from the plan. */
export interface PlannedGap extends OutcomeGap {
  readonly target: string;
}

const KEPT_FINDINGS = 25;
const KEPT_RECORDINGS = 25;

interface Collection {
  seen: number;
  tries: number;
  violations: number;
  readonly findings: Map<string, FoundViolation>;
  readonly gaps: Map<string, Gap>;
  readonly recordings: Map<string, Recording>;
  readonly cases: Set<string>;
  readonly errors: Set<string>;
  sample: string | undefined;
}

/** Evidence by requirement id. Outcomes are those of one target, in a stable order. */
export function gatherEvidence(
  outcomes: readonly CaseOutcome[],
  planned: readonly OutcomeGap[],
): ReadonlyMap<string, CaseRecorder> {
  const collections = new Map<string, Collection>();
  const of = (requirement: string): Collection => {
    const known = collections.get(requirement) ?? emptyCollection();
    collections.set(requirement, known);
    return known;
  };
  for (const gap of planned) addGap(of(gap.requirement), gap, undefined);
  for (const outcome of outcomes) {
    for (const [id, seen] of Object.entries(outcome.seen)) of(id).seen += seen;
    for (const [id, tries] of Object.entries(outcome.tries ?? {})) {
      of(id).tries = Math.max(of(id).tries, tries);
    }
    for (const found of outcome.findings) addFinding(of(found.requirement), found, outcome.case);
    for (const gap of outcome.gaps) addGap(of(gap.requirement), gap, outcome.case);
    for (const { requirement, note, exchange } of outcome.recordings) {
      addRecording(of(requirement), note, exchange);
    }
    for (const id of outcome.judges) {
      of(id).cases.add(outcome.case);
      for (const { message } of outcome.errors) of(id).errors.add(message);
    }
    for (const [id, exchange] of Object.entries(outcome.samples)) of(id).sample ??= exchange;
  }
  const exchanges = exchangesById(outcomes.flatMap((outcome) => outcome.exchanges));
  return new Map(
    [...collections].map(([id, collection]) => [id, evidenceOf(collection, exchanges)]),
  );
}

function emptyCollection(): Collection {
  return {
    seen: 0,
    tries: 1,
    violations: 0,
    findings: new Map(),
    gaps: new Map(),
    recordings: new Map(),
    cases: new Set(),
    errors: new Set(),
    sample: undefined,
  };
}

function addFinding(to: Collection, found: OutcomeFinding, name: string): void {
  const { message, expected, actual, exchanges, counterexample, count = 1 } = found;
  to.violations += count;
  const key = [message, expected, actual].join('\n');
  const finding = { message, expected, actual, exchanges, ...present({ counterexample }) };
  const known = to.findings.get(key) ?? { ...finding, case: name, count: 0 };
  to.findings.set(key, { ...known, count: known.count + count });
}

function addGap(to: Collection, gap: OutcomeGap, name: string | undefined): void {
  const { kind, reason, line, begun } = gap;
  to.gaps.set([kind, reason, line ?? '', name ?? ''].join('\n'), {
    ...present({ case: name }),
    kind,
    reason,
    ...present({ line, begun }),
  });
}

function addRecording(to: Collection, note: string, exchange: string | undefined): void {
  const known = to.recordings.get(note) ?? { note, count: 0, ...present({ exchange }) };
  to.recordings.set(note, { ...known, count: known.count + 1 });
}

/** Exchanges by their ids. */
export function exchangesById(
  exchanges: readonly ReportedExchange[],
): ReadonlyMap<string, ReportedExchange> {
  return new Map(exchanges.map((exchange) => [exchange.id, exchange]));
}

function evidenceOf(
  collection: Collection,
  exchanges: ReadonlyMap<string, ReportedExchange>,
): CaseRecorder {
  return {
    ...collection,
    findings: keptFindings(collection.findings, exchanges),
    gaps: sortedValues(collection.gaps),
    recordings: keptRecordings(collection.recordings),
    cases: [...collection.cases].toSorted(byText),
    errors: [...collection.errors].toSorted(byText),
  };
}

/** The first distinct violations: those with the simplest requests, and of these by key. */
export function keptFindings<T extends { readonly exchanges: readonly string[] }>(
  findings: ReadonlyMap<string, T>,
  exchanges: ReadonlyMap<string, ReportedExchange>,
): readonly T[] {
  const size = ({ exchanges: [id = ''] }: T) => requestSize(exchanges.get(id));
  return sortedValues(findings)
    .toSorted((left, right) => size(left) - size(right))
    .slice(0, KEPT_FINDINGS);
}

/** Characters of a request line and bytes of its body: the simplest request is the easiest to understand. */
export function requestSize(exchange: ReportedExchange | undefined): number {
  if (exchange === undefined) return Number.MAX_SAFE_INTEGER;
  return exchange.request.url.length + exchange.request.body.bytes;
}

/** The first distinct recordings, by note. */
export function keptRecordings(recordings: ReadonlyMap<string, Recording>): readonly Recording[] {
  return sortedValues(recordings).slice(0, KEPT_RECORDINGS);
}

/** In the order of the keys. */
export function sortedValues<T>(map: ReadonlyMap<string, T>): readonly T[] {
  return [...map].toSorted(byKey(([key]) => key)).map(([, value]) => value);
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
  return sortedValues(merged);
}

/** Operation, status and code of a row, as a text that sorts. */
export function trafficKey({
  operation,
  status,
  code,
}: Omit<TrafficSummary, 'count' | 'latencies'>): string {
  return `${operation}\n${String(status).padStart(3, '0')}\n${code}`;
}

/** Rows with the same operation, status and code become one; sorted by these three. */
export function mergeTraffic(rows: Iterable<TrafficRow>): readonly TrafficSummary[] {
  return counted([...rows], trafficKey, (one, two) => ({
    ...one,
    count: one.count + two.count,
    latencies: [...one.latencies, ...two.latencies],
  })).map((row) => ({
    ...row,
    latencies: evenSample(
      row.latencies.toSorted((left, right) => left - right),
      KEPT_LATENCIES,
    ),
  }));
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
