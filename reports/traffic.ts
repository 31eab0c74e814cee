/** Counts of traffic from many cases as one table. */

import type { CaseOutcome, TrafficRow } from '../schemas/outcome.ts';
import type { TargetResult, TrafficSummary } from '../schemas/report.ts';
import { byKey } from './order.ts';

const KEPT_LATENCIES = 400;

/** An even sample of numbers in ascending order, first and last included. */
export function evenSample(sorted: readonly number[], limit: number): readonly number[] {
  if (sorted.length <= limit) return sorted;
  const step = (sorted.length - 1) / (limit - 1);
  return Array.from({ length: limit }, (_, index) => sorted[Math.round(index * step)] ?? 0);
}

/** Rows with the same operation, status and code become one; sorted by these three. */
export function mergeTraffic(rows: Iterable<TrafficRow>): readonly TrafficSummary[] {
  const merged = new Map<string, { row: TrafficRow; count: number; latencies: number[] }>();
  for (const row of rows) {
    const key = `${row.operation}\n${String(row.status).padStart(3, '0')}\n${row.code}`;
    const entry = merged.get(key) ?? { row, count: 0, latencies: [] };
    entry.count += row.count;
    entry.latencies.push(...row.latencies);
    merged.set(key, entry);
  }
  return [...merged].toSorted(byKey(([key]) => key)).map(([, { row, count, latencies }]) => ({
    operation: row.operation,
    status: row.status,
    code: row.code,
    count,
    latencies: evenSample(
      latencies.toSorted((left, right) => left - right),
      KEPT_LATENCIES,
    ),
  }));
}

/** Which section of the suite met which status and code, and how often. */
export function provocationsOf(outcomes: readonly CaseOutcome[]): TargetResult['provocations'] {
  const counts = new Map<string, TargetResult['provocations'][number]>();
  for (const { section, traffic } of outcomes) {
    for (const { status, code, count } of traffic) {
      const key = `${section}\n${String(status).padStart(3, '0')}\n${code}`;
      counts.set(key, { section, status, code, count: (counts.get(key)?.count ?? 0) + count });
    }
  }
  return [...counts].toSorted(byKey(([key]) => key)).map(([, row]) => row);
}

/** State changes of all cases, summed, in the order of their names. */
export function mergeTransitions(outcomes: readonly CaseOutcome[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { transitions } of outcomes) {
    for (const [change, count] of Object.entries(transitions)) {
      sums.set(change, (sums.get(change) ?? 0) + count);
    }
  }
  return Object.fromEntries([...sums].toSorted(byKey(([change]) => change)));
}
