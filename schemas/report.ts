/**
 * The form of `conformance.json`: what a run found, for people, programs and later runs. Fields may be added
 * within a schema version; a field that changes its meaning raises `schemaVersion`.
 */

import { z } from 'zod';
import { contractNames } from './contracts.ts';
import { reportedExchange } from './exchange.ts';

export const REPORT_SCHEMA_VERSION = 1;

/** What a run says of one requirement of one target. */
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
  /** The telling exchange, a key of `exchanges`; null when no exchange shows it. */
  exchange: z.string().nullable(),
  /** Every exchange that shows it, the telling one first. */
  exchanges: list(z.string()),
  /** The command that runs just this requirement again. */
  replay: z.string(),
  /** The case that found it, the first by name. */
  case: z.string(),
  /** How often exactly this was found. */
  count: z.int().min(1),
  counterexample: z
    .object({
      /** Name of the property within its case; absent from results of old. */
      property: z.string().optional(),
      value: z.string(),
      seed: z.number(),
      path: z.string(),
    })
    .optional(),
});

const missing = z.object({
  /** Absent when no case got as far as to say it. */
  case: z.string().optional(),
  kind: z.enum(['not-exercised', 'inconclusive']),
  reason: z.string(),
  /** The line of the target file that would make it possible. */
  line: z.string().optional(),
  /** True when no case said so: it is what the catalogue knows of a requirement that nothing judged. */
  presumed: z.literal(true).optional(),
  /** False where the budget was spent before the case began: what other cases saw stands. */
  begun: z.literal(false).optional(),
});

/**
 * - `waived`: broken, and accepted until it expires.
 * - `expired`: broken, and accepted no longer.
 * - `healed`: exercised in full and held, so that nothing is left to accept.
 * - `unseen`: not judged in full, so that nothing can be said.
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
  /** Where a reader finds the clause. */
  where: z.string().optional(),
  section: z.string(),
  strength: z.enum(['stated', 'implied', 'open']),
  statement: z.string(),
  judged: z.string().optional(),
  verdict: z.enum(verdicts),
  reason: z.string().optional(),
  /** How often it was seen, in a way that could have been wrong. */
  observations: count,
  /** Most tries until a case judged it right; absent where the first did. */
  tries: z.int().min(2).optional(),
  /** Violations in all; `findings` keeps the first distinct ones. */
  violations: count,
  findings: list(finding),
  gaps: list(missing),
  recordings: list(recording),
  /** The cases that set out to judge it. */
  cases: list(z.string()),
  /** Our own mistakes in those cases; absent without any. */
  errors: list(z.string()).optional(),
  /** What was declared of it beforehand. */
  deviation: knownDeviation.optional(),
  /** One exchange that shows it. */
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
  /** Requirements of the contract that this run was told to leave out; in no total above. */
  notSelected: count,
});

const trafficRow = z.object({
  operation: z.string(),
  status: z.int(),
  code: z.string(),
  count,
  /** Milliseconds, ascending; every one while they are few, an even sample otherwise. */
  latencies: list(z.number()),
});

/** Present when traffic that others made was judged. */
const observed = z.object({
  source: z.enum(['proxy', 'recording']),
  /** Exchanges that were judged, as far as each could be. */
  judged: count,
  /** What was seen and not judged, or not in full. */
  notJudged: list(z.object({ reason: z.string(), count })),
  /** Clients that were asked to wait, and how often they did. */
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
  /** Which section of the suite provoked which answer. */
  provocations: list(z.object({ section: z.string(), status: z.int(), code: z.string(), count })),
  /** State changes seen, `RUNNING>STOPPING` to how often. */
  transitions: z.record(z.string(), count),
  /** Levels of the contract: met when each stated requirement of it was exercised and held. */
  profiles: list(
    z.object({ name: z.string(), met: z.boolean(), held: count, total: count }),
  ).optional(),
  observed: observed.optional(),
  /** What the run decided where the target file leaves it open. */
  notes: list(z.string()).optional(),
  /** Requirements left out of this run of which a violation was seen all the same. */
  brokenBeyondSelection: list(z.object({ id: z.string(), violations: count })),
});

const trouble = z.object({
  target: z.string(),
  case: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  /** Present for what the target did to most requests; what has none is a mistake of our own. */
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

const runPart = z.object({
  shard: z.object({ index: z.int().min(1), of: z.int().min(1) }),
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
      /** SHA-256 of the requirements that the run judged by, in hex. */
      catalogueDigest: z.string(),
    }),
    run: z.object({
      id: z.string(),
      startedAt: z.iso.datetime(),
      durationMs: milliseconds,
      seed: z.number(),
      requests: count,
      /** The part of the run that this is; null when it is all of it. */
      shard: z.object({ index: z.int().min(1), of: z.int().min(1) }).nullable(),
      /** True when it ended before every case that belonged to it. */
      partial: z.boolean(),
      /** What the run was restricted to, as it was asked for. */
      selection: list(z.string()),
      /**
       * Percentage of the stated requirements that a target file lets a run exercise of which the run had to decide
       * (default 90); 0 where others chose what was sent.
       */
      decided: z.number().min(0).max(100).optional(),
      /** Profiles that each target had to meet whose contract has them; absent without any. */
      requiredProfiles: list(z.string()).optional(),
      /** The shards that this was merged from, by index; absent from a run in one piece. */
      parts: list(runPart).optional(),
    }),
    targets: list(target),
    requirements: list(requirementResult),
    exchanges: list(reportedExchange),
    cases: list(caseRun),
    properties: list(property),
    /** What a target did to most requests, named once for all that follows from it; then our own mistakes. */
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
export type TrafficSummary = TargetResult['traffic'][number];
export type ObservedTraffic = NonNullable<TargetResult['observed']>;
export type RunnerError = ConformanceReport['troubles'][number];
