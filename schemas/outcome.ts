/** The outcome of one case. It crosses process borders, so it is plain data: no bytes, no functions, no secrets. */

import type { ReportedExchange } from './exchange.ts';
import type { ConformanceReport, Finding, Gap, Recording, TrafficRow } from './report.ts';
import type { Contract } from './requirement.ts';

/** One violation of one requirement. */
export interface OutcomeFinding extends Omit<Finding, 'exchange' | 'replay' | 'case' | 'count'> {
  readonly requirement: string;
  /** How often it was found (default 1). */
  readonly count?: number;
}

/** A requirement that this case could not judge. */
export interface OutcomeGap extends Omit<Gap, 'case' | 'presumed'> {
  readonly requirement: string;
}

/** What the deployment does where the contract leaves it open. */
export interface OutcomeRecording extends Omit<Recording, 'count'> {
  readonly requirement: string;
}

/** Statistics of one property's runs. */
export type PropertyRun = Omit<ConformanceReport['properties'][number], 'target' | 'case'>;

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
