/**
 * What one test case tells the report. It crosses from the process that runs the suites to the one that
 * writes the report, so everything in it is plain data: no bytes, no functions, no secrets.
 */

import type { ReportedExchange } from './exchange.ts';
import type { Contract } from './requirement.ts';

/** One violation of one requirement. */
export interface OutcomeFinding {
  readonly requirement: string;
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  /** Ids of the exchanges that show it, the telling one first. */
  readonly exchanges: readonly string[];
  /** How often it was found; once unless told. */
  readonly count?: number;
  /** The shrunk counterexample of a property, with what replays it. */
  readonly counterexample?: {
    /** Name of the property within its case. */
    readonly property?: string;
    readonly value: string;
    readonly seed: number;
    readonly path: string;
  };
}

/** A requirement that this case could not judge. */
export interface OutcomeGap {
  readonly requirement: string;
  readonly kind: 'not-exercised' | 'inconclusive';
  readonly reason: string;
  /** The line of the target file that would make it possible. */
  readonly line?: string;
  /** False where the budget was spent before the case began: what other cases saw stands. */
  readonly begun?: false;
}

/** What the deployment does where the contract is silent. */
export interface OutcomeRecording {
  readonly requirement: string;
  readonly note: string;
  readonly exchange?: string;
}

/** Counts of traffic with the same operation, status and code. Latencies in milliseconds. */
export interface TrafficRow {
  readonly operation: string;
  /** 0 when no status arrived. */
  readonly status: number;
  /** The error code of the envelope, or ''. */
  readonly code: string;
  readonly count: number;
  /** Every latency while there are few, a bounded sample of them otherwise. */
  readonly latencies: readonly number[];
}

/** What a property told of its own run. */
export interface PropertyRun {
  readonly name: string;
  readonly runs: number;
  readonly informative: number;
  readonly seed: number;
}

/** Requests whose answer cannot be read for one reason. */
export interface LostRequests {
  /** The first of them. */
  readonly exchange: string;
  /** Its kind, and after a colon what is particular to the first. */
  readonly why: string;
  readonly count: number;
}

export interface CaseOutcome {
  /** `<contract>/<section> › <title>`. */
  readonly case: string;
  readonly contract: Contract;
  readonly section: string;
  readonly target: string;
  /** Requirements that the case set out to judge. */
  readonly judges: readonly string[];
  /** Non-not observed observations by requirement id, universal checks included. */
  readonly seen: Readonly<Record<string, number>>;
  readonly findings: readonly OutcomeFinding[];
  readonly gaps: readonly OutcomeGap[];
  readonly recordings: readonly OutcomeRecording[];
  /** Our own mistakes: an exception that is nobody's verdict. */
  readonly errors: readonly { readonly message: string; readonly stack: string | undefined }[];
  readonly exchanges: readonly ReportedExchange[];
  /** For each requirement seen, one exchange that shows it. */
  readonly samples: Readonly<Record<string, string>>;
  readonly traffic: readonly TrafficRow[];
  /** State changes of instances that were seen, `RUNNING>STOPPING` to how often. */
  readonly transitions: Readonly<Record<string, number>>;
  readonly properties: readonly PropertyRun[];
  /** What was decided where the target file leaves it open, in sentences without their full stop; none unless told. */
  readonly notes?: readonly string[];
  readonly requests: number;
  readonly retries: number;
  /** Requests whose answer cannot be read, or did not come whole, by why: one exchange of each kind, and how many. */
  readonly lost?: readonly LostRequests[];
  /** Requirements that were judged right on a later try alone, with the number of tries; none unless told. */
  readonly tries?: Readonly<Record<string, number>>;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}
