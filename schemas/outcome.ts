/** The outcome of one case. It crosses process borders, so it is plain data: no bytes, no functions, no secrets. */

import type { ReportedExchange } from './exchange.ts';
import type { Contract } from './requirement.ts';

/** One violation of one requirement. */
export interface OutcomeFinding {
  readonly requirement: string;
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  /** Ids of the exchanges that show it, the decisive one first. */
  readonly exchanges: readonly string[];
  /** How often it was found (default 1). */
  readonly count?: number;
  /** The shrunk counterexample of a property, with the seed and path that replay it. */
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
  /** The line to add to the target file so that the requirement can be exercised. */
  readonly line?: string;
  /** False if the budget ran out before the case began; observations of other cases still count. */
  readonly begun?: false;
}

/** What the deployment does where the contract leaves it open. */
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
  /** All latencies if there are few, otherwise a bounded sample. */
  readonly latencies: readonly number[];
}

/** Statistics of one property's runs. */
export interface PropertyRun {
  readonly name: string;
  readonly runs: number;
  readonly informative: number;
  readonly seed: number;
}

/** Requests whose responses could not be read, grouped by reason. */
export interface LostRequests {
  /** Id of the first exchange. */
  readonly exchange: string;
  /** The kind of failure, then after a colon the details of the first exchange. */
  readonly why: string;
  readonly count: number;
}

export interface CaseOutcome {
  /** `<contract>/<section> › <title>`. */
  readonly case: string;
  readonly contract: Contract;
  readonly section: string;
  readonly target: string;
  /** Requirements that the case is meant to judge. */
  readonly judges: readonly string[];
  /** Number of observations that could have violated a requirement, by its id; universal checks included. */
  readonly seen: Readonly<Record<string, number>>;
  readonly findings: readonly OutcomeFinding[];
  readonly gaps: readonly OutcomeGap[];
  readonly recordings: readonly OutcomeRecording[];
  /** Exceptions in the suite itself, which decide no requirement. */
  readonly errors: readonly { readonly message: string; readonly stack: string | undefined }[];
  readonly exchanges: readonly ReportedExchange[];
  /** For each requirement seen, one exchange that shows it. */
  readonly samples: Readonly<Record<string, string>>;
  readonly traffic: readonly TrafficRow[];
  /** Counts of the observed state changes, with keys such as `RUNNING>STOPPING`. */
  readonly transitions: Readonly<Record<string, number>>;
  readonly properties: readonly PropertyRun[];
  /** Choices that the suite made because the target file does not, as sentences without a full stop (default none). */
  readonly notes?: readonly string[];
  readonly requests: number;
  readonly retries: number;
  /** Requests whose responses were unreadable or incomplete, one entry for each reason. */
  readonly lost?: readonly LostRequests[];
  /** Requirements that passed only on a later try, with the number of tries (default none). */
  readonly tries?: Readonly<Record<string, number>>;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}
