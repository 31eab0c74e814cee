/** What `plumbline observe` reports while it runs: the data of its JSON endpoint and of its page. */

import type { Finding, ObservedTraffic, TargetResult, TrafficRow } from './report.ts';
import type { Requirement } from './requirement.ts';

export interface LiveRequirement extends Pick<Requirement, 'id' | 'statement' | 'strength'> {
  readonly seen: number;
  readonly violations: number;
  readonly latest?: Pick<Finding, 'message' | 'expected' | 'actual'>;
}

export interface LiveTraffic extends ObservedTraffic {
  readonly target: Pick<TargetResult, 'name' | 'contract' | 'baseUrl'>;
  /** The address that clients use instead of the base URL. */
  readonly listening: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly now: number;
  readonly connections: number;
  readonly underWay: number;
  /** Exchanges that ended in each of the last seconds, oldest first. */
  readonly perSecond: readonly number[];
  /** Milliseconds from a request to the head of its response, over the recent exchanges. */
  readonly latency: { readonly median: number; readonly p99: number } | null;
  /** Requirements with at least one observation, violated ones first. */
  readonly requirements: readonly LiveRequirement[];
  readonly answers: readonly Omit<TrafficRow, 'latencies'>[];
  /** Number of instances and cursors whose history is tracked now. */
  readonly following: { readonly instances: number; readonly cursors: number };
}
