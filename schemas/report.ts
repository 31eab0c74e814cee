/** The form of `conformance.json`. Fields may be added; a change in the meaning of a field raises `schemaVersion`. */

import { z } from 'zod';
import { contractNames } from './contracts.ts';
import { reportedExchange } from './exchange.ts';

export const REPORT_SCHEMA_VERSION = 1;

/** The possible verdicts of a run on one requirement of one target. */
export const verdicts = [
  'passed',
  'failed',
  'warned',
  'not-exercised',
  'inconclusive',
  'waived',
  'observed',
  'error',
] as const;

const count = z.int().min(0);
const milliseconds = z.number().min(0);
const list = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const finding = z.object({
  message: z.string(),
  expected: z.string(),
  actual: z.string(),
  /** The decisive exchange, a key of `exchanges`; null when no exchange shows the finding. */
  exchange: z.string().nullable(),
  /** Every exchange that shows it, the decisive one first. */
  exchanges: list(z.string()),
  /** The command that runs only this requirement again. */
  replay: z.string(),
  /** The case that found it, the first by name. */
  case: z.string(),
  count: z.int().min(1),
  counterexample: z
    .object({
      /** Name of the property within its case; absent from results of earlier versions. */
      property: z.string().optional(),
      value: z.string(),
      seed: z.number(),
      path: z.string(),
    })
    .optional(),
});

const missing = z.object({
  /** Absent when no case reported the gap. */
  case: z.string().optional(),
  kind: z.enum(['not-exercised', 'inconclusive']),
  reason: z.string(),
  /** The line to add to the target file so that the requirement can be exercised. */
  line: z.string().optional(),
  /** True when the gap comes from the catalogue, since no case judged the requirement. */
  presumed: z.literal(true).optional(),
  /** False if the budget ran out before the case began; observations of other cases still count. */
  begun: z.literal(false).optional(),
});

/**
 * - `waived`: violated, and accepted until the deviation expires.
 * - `expired`: violated, and no longer accepted.
 * - `healed`: fully exercised and passed, so the deviation is obsolete.
 * - `unseen`: not fully judged.
 */
const deviationStates = ['waived', 'expired', 'healed', 'unseen'] as const;

const knownDeviation = z.object({
  reason: z.string(),
  link: z.string().optional(),
  /** The last day on which it is accepted. */
  expires: z.iso.date(),
  state: z.enum(deviationStates),
});

const recording = z.object({
  note: z.string(),
  count: z.int().min(1),
  exchange: z.string().optional(),
});

const requirementResult = z.object({
  target: z.string(),
  id: z.string(),
  clause: z.string(),
  /** Where the clause is in the contract document. */
  where: z.string().optional(),
  section: z.string(),
  strength: z.enum(['stated', 'implied', 'open']),
  statement: z.string(),
  judged: z.string().optional(),
  verdict: z.enum(verdicts),
  reason: z.string().optional(),
  /** Number of observations that could have violated it. */
  observations: count,
  /** The most tries that a case needed to pass it; absent if every case passed it on the first try. */
  tries: z.int().min(2).optional(),
  /** Total number of violations; `findings` keeps the first distinct ones. */
  violations: count,
  findings: list(finding),
  gaps: list(missing),
  recordings: list(recording),
  /** The cases that are meant to judge it. */
  cases: list(z.string()),
  /** Errors of the suite itself in those cases; absent without any. */
  errors: list(z.string()).optional(),
  /** The known deviation that the deviations file declares. */
  deviation: knownDeviation.optional(),
  sample: z.string().optional(),
});

const counts = z.object({
  total: count,
  passed: count,
  failed: count,
  notExercised: count,
  inconclusive: count,
  waived: count,
  error: count,
});

const summary = z.object({
  stated: counts,
  implied: counts.extend({ warned: count }),
  open: z.object({
    total: count,
    observed: count,
    notExercised: count,
    inconclusive: count,
    error: count,
  }),
  /** Number of requirements that the selection of this run excludes; no total above counts them. */
  notSelected: count,
});

/** The counts of traffic with the same operation, status and code. */
const trafficRow = z.object({
  operation: z.string(),
  /** 0 when no status arrived. */
  status: z.int(),
  /** The error code of the envelope, or ''. */
  code: z.string(),
  count,
  /** Milliseconds, in the report ascending: all of them if there are few, otherwise an even sample. */
  latencies: list(z.number()),
});

/** Present when the run judged traffic of other clients. */
const observed = z.object({
  source: z.enum(['proxy', 'recording']),
  /** Number of exchanges that were judged at least in part. */
  judged: count,
  /** Traffic that was not judged, or only in part, with the reason. */
  notJudged: list(z.object({ reason: z.string(), count })),
  /** Clients that were asked to wait, and how often each waited or did not. */
  clients: list(
    z.object({ client: z.string(), askedToWait: count, waited: count, hurried: count }),
  ),
});

const target = z.object({
  name: z.string(),
  contract: z.enum(contractNames),
  baseUrl: z.string(),
  /** Path of the target file as it was given; absent for an embedded reference deployment. */
  file: z.string().optional(),
  summary,
  requests: count,
  retries: count,
  traffic: list(trafficRow),
  /** How often each section of the suite provoked each status and code. */
  provocations: list(z.object({ section: z.string(), status: z.int(), code: z.string(), count })),
  /** Counts of the observed state changes, with keys such as `RUNNING>STOPPING`. */
  transitions: z.record(z.string(), count),
  /** Levels of the contract; a level is met when each of its stated requirements passed. */
  profiles: list(
    z.object({ name: z.string(), met: z.boolean(), held: count, total: count }),
  ).optional(),
  observed: observed.optional(),
  /** Decisions that the suite made where the target file leaves a choice. */
  notes: list(z.string()).optional(),
  /** Requirements outside the selection of this run that were nevertheless seen to be violated. */
  brokenBeyondSelection: list(z.object({ id: z.string(), violations: count })),
});

const trouble = z.object({
  target: z.string(),
  case: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  /** Present if the target caused the trouble in most requests; absent for an error of the suite. */
  by: z.literal('target').optional(),
  /** One exchange that shows it, a key of `exchanges`. */
  exchange: z.string().optional(),
});

const property = z.object({
  target: z.string(),
  case: z.string(),
  name: z.string(),
  runs: count,
  informative: count,
  seed: z.number(),
});

const caseRun = z.object({
  target: z.string(),
  case: z.string(),
  section: z.string(),
  startedAt: z.number(),
  durationMs: milliseconds,
  requests: count,
  retries: count,
});

const shard = z.object({ index: z.int().min(1), of: z.int().min(1) });

const runPart = z.object({
  shard,
  id: z.string(),
  startedAt: z.iso.datetime(),
  durationMs: milliseconds,
  partial: z.boolean(),
});

export const conformanceReport = z
  .object({
    schemaVersion: z.int().min(1),
    tool: z.object({
      name: z.string(),
      version: z.string(),
      /** SHA-256 of the requirement catalogue that the run used, in hex. */
      catalogueDigest: z.string(),
    }),
    run: z.object({
      id: z.string(),
      startedAt: z.iso.datetime(),
      durationMs: milliseconds,
      seed: z.number(),
      requests: count,
      /** The shard that this report covers; null for a whole run. */
      shard: shard.nullable(),
      /** True when the run ended before all its cases had ended. */
      partial: z.boolean(),
      /** The options that restricted the run, as given. */
      selection: list(z.string()),
      /** Percentage of the stated, exercisable requirements to decide (default 90); 0 for traffic of other clients. */
      decided: z.number().min(0).max(100).optional(),
      /** Profiles that each target whose contract has them must meet; absent without any. */
      requiredProfiles: list(z.string()).optional(),
      /** The shards that were merged into this report, by index; absent for an unsharded run. */
      parts: list(runPart).optional(),
    }),
    targets: list(target),
    requirements: list(requirementResult),
    exchanges: list(reportedExchange),
    cases: list(caseRun),
    properties: list(property),
    /** First problems that a target caused in most requests, one entry each; then errors of the suite itself. */
    troubles: list(trouble),
  })
  .meta({
    title: 'Conformance report',
    description: 'What a run of plumbline found about its targets.',
  });

export type Verdict = (typeof verdicts)[number];
export type ConformanceReport = z.infer<typeof conformanceReport>;
export type TargetResult = ConformanceReport['targets'][number];
export type Summary = TargetResult['summary'];
export type Counts = Summary['stated'];
export type RequirementResult = ConformanceReport['requirements'][number];
export type Finding = RequirementResult['findings'][number];
export type Gap = RequirementResult['gaps'][number];
export type KnownDeviation = NonNullable<RequirementResult['deviation']>;
export type RunPart = NonNullable<ConformanceReport['run']['parts']>[number];
export type Recording = RequirementResult['recordings'][number];
export type TrafficRow = TargetResult['traffic'][number];
export type ObservedTraffic = NonNullable<TargetResult['observed']>;
export type RunnerError = ConformanceReport['troubles'][number];
