/** Folds the outcomes of the cases into the result of a run: verdicts, counts and the cited exchanges. */

import type { Deviation } from '../../schemas/deviations.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import {
  type ConformanceReport,
  REPORT_SCHEMA_VERSION,
  type RequirementResult,
  type Summary,
  type TargetResult,
  type RunnerError,
  type Verdict,
} from '../../schemas/report.ts';
import { contractData } from '../../schemas/contracts.ts';
import type { Requirement, Strength } from '../../schemas/requirement.ts';
import {
  catalogueDigest,
  deviationOf,
  gapsFromNeeds,
  type Profiles,
  profilesOf,
  resultOf,
} from './verdict.ts';
import {
  exchangesById,
  gatherEvidence,
  mergeTraffic,
  mergeTransitions,
  provocationsOf,
  together,
} from './evidence.ts';
import { lostRequests } from './lost.ts';
import { byKey, byText, distinct, present, sum } from './text.ts';

/** `file` is the path of the target file as the user gave it. Absent for an embedded reference deployment. */
type FoldedTarget = Pick<TargetResult, 'name' | 'contract' | 'baseUrl' | 'file'>;

export interface FoldInput {
  readonly tool: { readonly name: string; readonly version: string };
  readonly run: Omit<ConformanceReport['run'], 'requests'>;
  /** With unique names. */
  readonly targets: readonly FoldedTarget[];
  /** The requirements of all contracts in the run. */
  readonly catalogue: readonly Requirement[];
  readonly outcomes: readonly CaseOutcome[];
  /** Errors of our own outside of any outcome, from the reporter. */
  readonly troubles: readonly RunnerError[];
  /** Whether the file of a target meets a need. */
  readonly offers: (target: string, need: string) => boolean;
  readonly selects: (requirement: Requirement) => boolean;
  /** The profiles of each contract. */
  readonly profiles: Profiles;
  /** Known violations that are accepted for now. */
  readonly deviations: readonly Deviation[];
  /** The command that judges a requirement again; `only` limits it to one case. */
  readonly replay: (requirement: string, target: FoldedTarget, only: string | undefined) => string;
}

/** The report of a run, for outcomes in any order. Every selected requirement of a target gets exactly one verdict. */
export function fold(input: FoldInput): ConformanceReport {
  const outcomes = input.outcomes.toSorted(
    byKey((one) => [one.target, one.case, String(one.startedAt), one.section].join('\n')),
  );
  const targets = input.targets.toSorted(byKey(({ name }) => name)).map((target) => ({
    target,
    own: outcomes.filter((outcome) => outcome.target === target.name),
  }));
  const folded = targets.map(({ target, own }) => foldTarget(input, target, own));
  const requirements = folded.flatMap(({ results }) => results);
  const lost = targets.flatMap(({ target, own }) => lostRequests(target.name, own));
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    tool: { ...input.tool, catalogueDigest: catalogueDigest(input.catalogue) },
    run: { ...input.run, requests: sum(outcomes, ({ requests }) => requests) },
    targets: folded.map(({ target }) => target),
    requirements,
    exchanges: citedExchanges(
      outcomes.flatMap(({ exchanges }) => exchanges),
      requirements,
      lost,
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
    properties: outcomes.flatMap(({ target, case: name, properties }) =>
      properties.map((property) => ({ target, case: name, ...property })),
    ),
    troubles: [
      ...lost,
      ...[
        ...input.troubles,
        ...troublesOf(outcomes, {
          requirements: new Set(input.catalogue.map(({ id }) => id)),
          targets: new Set(input.targets.map(({ name }) => name)),
        }),
      ].toSorted(byKey(({ target, case: name, message }) => [target, name, message].join('\n'))),
    ],
  };
}

function foldTarget(
  input: FoldInput,
  target: FoldedTarget,
  outcomes: readonly CaseOutcome[],
): { readonly target: TargetResult; readonly results: readonly RequirementResult[] } {
  const outstanding = input.catalogue
    .filter(({ contract }) => contract === target.contract)
    .toSorted(byKey(({ id }) => id));
  const shownByAny = new Set(
    outstanding.flatMap(({ id, universal, hasCases }) =>
      universal === true && hasCases !== true ? [id] : [],
    ),
  );
  const evidence = gatherEvidence(outcomes, (id, finder) =>
    input.replay(id, target, shownByAny.has(id) ? finder : undefined),
  );
  const nothing = together([], new Map());
  const evidenceFor = ({ id }: Requirement) => evidence.get(id) ?? nothing;
  const { clauses } = contractData(target.contract);
  const results = outstanding.filter(input.selects).map((requirement) =>
    resultOf(
      { ...requirement, target: target.name, where: clauses[requirement.clause]?.where },
      evidenceFor(requirement),
      {
        presumedGaps: gapsFromNeeds(requirement, (need) => input.offers(target.name, need)),
        partial: input.run.partial,
        declared: deviationOf(input.deviations, requirement.id, target.name),
        startedAt: input.run.startedAt,
      },
    ),
  );
  const leftOut = outstanding.filter((requirement) => !input.selects(requirement));
  const notes = distinct(outcomes.flatMap((outcome) => outcome.notes ?? []));
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
      ...(notes.length === 0 ? {} : { notes }),
      ...profilesOf(input.profiles[target.contract], results),
      brokenBeyondSelection: leftOut.flatMap((requirement) => {
        const { violations } = evidenceFor(requirement);
        return violations > 0 && requirement.strength === 'stated'
          ? [{ id: requirement.id, violations }]
          : [];
      }),
    },
  };
}

/** Errors that cases threw, and outcomes about unknown requirements or targets. */
function troublesOf(
  outcomes: readonly CaseOutcome[],
  known: { readonly requirements: ReadonlySet<string>; readonly targets: ReadonlySet<string> },
): readonly RunnerError[] {
  return outcomes.flatMap((outcome) => {
    const at = { target: outcome.target, case: outcome.case };
    const unknown = [...namedRequirements(outcome)].filter((id) => !known.requirements.has(id));
    return [
      ...outcome.errors.map(({ message, stack }) => ({ ...at, message, ...present({ stack }) })),
      ...unknown.map((id) => ({ ...at, message: `${id} is not in the catalogue` })),
      ...(known.targets.has(outcome.target)
        ? []
        : [{ ...at, message: `${outcome.target} is not a target of this run` }]),
    ];
  });
}

function namedRequirements(outcome: CaseOutcome): ReadonlySet<string> {
  const { judges, seen, findings, gaps, recordings } = outcome;
  const reported = [...findings, ...gaps, ...recordings].map(({ requirement }) => requirement);
  return new Set([...judges, ...Object.keys(seen), ...reported]);
}

/** Counts the results of one target. */
export function summarise(results: readonly RequirementResult[], notSelected: number): Summary {
  const count = (strength: Strength, verdict?: Verdict) =>
    results.filter(
      (result) =>
        result.strength === strength && (verdict === undefined || result.verdict === verdict),
    ).length;
  const judged = (strength: Strength) => ({
    total: count(strength),
    passed: count(strength, 'passed'),
    failed: count(strength, 'failed'),
    notExercised: count(strength, 'not-exercised'),
    inconclusive: count(strength, 'inconclusive'),
    waived: count(strength, 'waived'),
    error: count(strength, 'error'),
  });
  return {
    stated: judged('stated'),
    implied: { ...judged('implied'), warned: count('implied', 'warned') },
    open: {
      total: count('open'),
      observed: count('open', 'observed'),
      notExercised: count('open', 'not-exercised'),
      inconclusive: count('open', 'inconclusive'),
      error: count('open', 'error'),
    },
    notSelected,
  };
}

/** The exchanges that findings, recordings, samples and errors cite, each once, in order of time. */
export function citedExchanges(
  exchanges: readonly ReportedExchange[],
  requirements: readonly RequirementResult[],
  troubles: readonly RunnerError[],
): readonly ReportedExchange[] {
  const cited = new Set(troubles.flatMap(({ exchange }) => exchange ?? []));
  for (const { findings, recordings, sample } of requirements) {
    for (const finding of findings) for (const id of finding.exchanges) cited.add(id);
    for (const { exchange } of recordings) if (exchange !== undefined) cited.add(exchange);
    if (sample !== undefined) cited.add(sample);
  }
  const kept = exchangesById(exchanges.filter(({ id }) => cited.has(id)));
  return [...kept.values()].toSorted(
    (left, right) => left.startedAt - right.startedAt || byText(left.id, right.id),
  );
}
