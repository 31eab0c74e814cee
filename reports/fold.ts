/** From the outcomes of cases to the report of a run. */

import type { Deviation } from '../schemas/deviations.ts';
import type { CaseOutcome } from '../schemas/outcome.ts';
import {
  REPORT_SCHEMA_VERSION,
  type ConformanceReport,
  type RequirementResult,
  type TargetResult,
  type Trouble,
} from '../schemas/report.ts';
import type { Clause, Contract, Requirement } from '../schemas/requirement.ts';
import { catalogueDigest } from './catalogue-digest.ts';
import { citedExchanges } from './cited.ts';
import { deviationOf, withDeviation } from './deviations.ts';
import { gatherEvidence, type CaseRecorder, type PlannedGap } from './evidence.ts';
import { withUniqueExchanges } from './exchange-names.ts';
import { byKey } from './order.ts';
import { profilesOf, type Profile } from './profiles.ts';
import { replayCommand } from './replay.ts';
import { summarise } from './summary.ts';
import { troublesOf } from './troubles.ts';
import { mergeTraffic, mergeTransitions, provocationsOf } from './traffic.ts';
import { gapsFromNeeds, noEvidence, verdictOf } from './verdict.ts';

export interface FoldedTarget {
  readonly name: string;
  readonly contract: Contract;
  readonly baseUrl: string;
  /** Path of the target file as the user gave it; absent for an embedded reference deployment. */
  readonly file?: string;
}

export interface FoldInput {
  readonly tool: { readonly name: string; readonly version: string };
  readonly run: Omit<ConformanceReport['run'], 'requests'>;
  /** Names are unique. */
  readonly targets: readonly FoldedTarget[];
  /** The requirements of all contracts in the run. */
  readonly catalogue: readonly Requirement[];
  readonly outcomes: readonly CaseOutcome[];
  /** What is known to be missing without any case. */
  readonly gaps?: readonly PlannedGap[];
  /** Our own mistakes outside of any outcome, from the reporter. */
  readonly troubles?: readonly Trouble[];
  /** Which requirements the run was asked for; all of them by default. */
  readonly selects?: (requirement: Requirement) => boolean;
  /** The levels of each contract, by the requirements that they ask for. */
  readonly profiles?: Partial<Record<Contract, readonly Profile[]>>;
  /** What is known to be broken, and accepted for now. */
  readonly deviations?: readonly Deviation[];
  /** The command that judges a requirement again; `plumbline run` unless told. */
  readonly replay?: ((requirement: string) => string) | undefined;
  /** The clause registers, to tell readers where a clause is. */
  readonly clauses?: Partial<Record<Contract, Readonly<Record<string, Clause>>>>;
}

/**
 * One report of a run. The order of the outcomes does not matter. Every selected requirement of a target's
 * contract gets exactly one verdict, seen or not.
 */
export function fold(input: FoldInput): ConformanceReport {
  const outcomes = withUniqueExchanges(input.outcomes);
  const targets = input.targets.toSorted(byKey(({ name }) => name));
  const folded = targets.map((target) =>
    foldTarget(
      input,
      target,
      outcomes.filter((outcome) => outcome.target === target.name),
    ),
  );
  const requirements = folded.flatMap(({ results }) => results);
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    tool: { ...input.tool, catalogueDigest: catalogueDigest(input.catalogue) },
    run: { ...input.run, requests: sum(outcomes, ({ requests }) => requests) },
    targets: folded.map(({ target }) => target),
    requirements,
    exchanges: citedExchanges(
      outcomes.flatMap(({ exchanges }) => exchanges),
      requirements,
    ),
    cases: outcomes.map((outcome) => ({
      target: outcome.target,
      case: outcome.case,
      section: outcome.section,
      startedAt: outcome.startedAt,
      durationMs: outcome.durationMs,
      requests: outcome.requests,
      retries: outcome.retries,
    })),
    properties: outcomes.flatMap((outcome) =>
      outcome.properties.map((property) => ({
        target: outcome.target,
        case: outcome.case,
        ...property,
      })),
    ),
    troubles: [
      ...(input.troubles ?? []),
      ...troublesOf(outcomes, {
        requirements: new Set(input.catalogue.map(({ id }) => id)),
        targets: new Set(input.targets.map(({ name }) => name)),
      }),
    ].toSorted(byKey(({ target, case: name, message }) => [target, name, message].join('\n'))),
  };
}

function foldTarget(
  input: FoldInput,
  target: FoldedTarget,
  outcomes: readonly CaseOutcome[],
): { readonly target: TargetResult; readonly results: readonly RequirementResult[] } {
  const selects = input.selects ?? (() => true);
  const owed = input.catalogue
    .filter(({ contract }) => contract === target.contract)
    .toSorted(byKey(({ id }) => id));
  const planned = (input.gaps ?? []).filter((gap) => gap.target === target.name);
  const evidence = gatherEvidence(outcomes, planned);
  const evidenceFor = ({ id }: Requirement) => evidence.get(id) ?? noEvidence;
  const results = owed
    .filter(selects)
    .map((requirement) => resultOf(input, target, requirement, evidenceFor(requirement)));
  const leftOut = owed.filter((requirement) => !selects(requirement));
  return {
    results,
    target: {
      ...target,
      summary: summarise(results, leftOut.length),
      requests: sum(outcomes, ({ requests }) => requests),
      retries: sum(outcomes, ({ retries }) => retries),
      traffic: mergeTraffic(outcomes.flatMap(({ traffic }) => traffic)),
      provocations: provocationsOf(outcomes),
      transitions: mergeTransitions(outcomes),
      ...profilesOf(input.profiles?.[target.contract], results),
      brokenBeyondSelection: leftOut.flatMap((requirement) => {
        const { violations } = evidenceFor(requirement);
        return violations > 0 && requirement.strength === 'stated'
          ? [{ id: requirement.id, violations }]
          : [];
      }),
    },
  };
}

function resultOf(
  input: FoldInput,
  target: FoldedTarget,
  requirement: Requirement,
  evidence: CaseRecorder,
): RequirementResult {
  const judged = verdictOf(
    { strength: requirement.strength, presumedGaps: () => gapsFromNeeds(requirement) },
    evidence,
    input.run.partial,
  );
  const declared = deviationOf(input.deviations ?? [], requirement.id, target.name);
  const { verdict, reason, gaps, deviation } = withDeviation(judged, declared, input.run);
  const where = input.clauses?.[target.contract]?.[requirement.clause]?.where;
  const replay =
    input.replay?.(requirement.id) ?? replayCommand(target.file, requirement.id, input.run.seed);
  return {
    target: target.name,
    id: requirement.id,
    clause: requirement.clause,
    ...(where === undefined ? {} : { where }),
    section: requirement.section,
    strength: requirement.strength,
    statement: requirement.statement,
    ...(requirement.judged === undefined ? {} : { judged: requirement.judged }),
    verdict,
    ...(reason === undefined ? {} : { reason }),
    observations: observationsOf(requirement, evidence),
    ...(evidence.tries > 1 ? { tries: evidence.tries } : {}),
    violations: evidence.violations,
    findings: evidence.findings.map((finding) => ({
      ...finding,
      exchange: finding.exchanges[0] ?? null,
      replay,
    })),
    gaps,
    recordings: evidence.recordings,
    cases: evidence.cases,
    ...(evidence.errors.length === 0 ? {} : { errors: evidence.errors }),
    ...(deviation === undefined ? {} : { deviation }),
    ...(evidence.sample === undefined ? {} : { sample: evidence.sample }),
  };
}

/** What is open has its recordings as observations, where no check counted any. */
function observationsOf(requirement: Requirement, evidence: CaseRecorder): number {
  return requirement.strength === 'open'
    ? Math.max(
        evidence.seen,
        sum(evidence.recordings, ({ count }) => count),
      )
    : evidence.seen;
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
