/** The verdict of a requirement, known deviations, and profiles. */

import { contractData, type Profile } from '../../schemas/contracts.ts';
import type { Contract, Requirement, Strength } from '../../schemas/requirement.ts';
import type {
  Gap,
  KnownDeviation,
  RequirementResult,
  TargetResult,
  Verdict,
} from '../../schemas/report.ts';
import type { Evidence } from './evidence.ts';
import type { Deviation } from '../../schemas/deviations.ts';
import { byText, present, sha256 } from './text.ts';

/** What the verdict of a requirement depends on besides the evidence. */
export interface Judging {
  /** The gaps to report if no case tried the requirement. */
  readonly presumedGaps: readonly Gap[];
  /** True if the run ended before all its cases had ended. */
  readonly partial: boolean;
  /** The known deviation, if one is declared. */
  readonly declared: Pick<Deviation, 'reason' | 'link' | 'expires'> | undefined;
  /** When the run started, which decides whether the deviation has expired. */
  readonly startedAt: string;
}

/** What the catalogue says about a requirement. */
type Stated = Pick<
  RequirementResult,
  'target' | 'id' | 'clause' | 'section' | 'strength' | 'statement'
> & { readonly where?: string | undefined; readonly judged?: string | undefined };

/** The result of a requirement, with its members in the order of the report. */
export function resultOf(stated: Stated, evidence: Evidence, judging: Judging): RequirementResult {
  const { target, id, clause, where, section, strength, statement, judged } = stated;
  const { tries, violations, findings, recordings, cases, errors, sample } = evidence;
  const { verdict, reason, gaps, deviation } = withDeviation(
    verdictOf(strength, evidence, judging),
    judging,
  );
  return {
    target,
    id,
    clause,
    ...present({ where }),
    section,
    strength,
    statement,
    ...present({ judged }),
    verdict,
    ...present({ reason }),
    observations: evidence.seen,
    ...(tries > 1 ? { tries } : {}),
    violations,
    findings,
    gaps,
    recordings,
    cases,
    ...(errors.length === 0 ? {} : { errors }),
    ...present({ deviation, sample }),
  };
}

interface Judged {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** What was missing, with the lines to add. Without a case, derived from the catalogue. */
  readonly gaps: readonly Gap[];
  readonly deviation?: KnownDeviation;
}

/** The verdict as a simpler answer to whether a requirement holds. */
export type Standing = 'broken' | 'held' | 'waived' | 'unjudged';

export const standings: Readonly<Record<Verdict, Standing>> = {
  failed: 'broken',
  warned: 'broken',
  passed: 'held',
  observed: 'held',
  waived: 'waived',
  'not-exercised': 'unjudged',
  inconclusive: 'unjudged',
  error: 'unjudged',
};

/**
 * Nothing counts as held that was not observed. A violation outweighs everything. An error of our own and an
 * inconclusive case outweigh the observations of other cases, because the requirement was not fully judged. A case that
 * did not start because the budget was spent counts for nothing: the observations of other cases then stand, in part.
 */
function verdictOf(strength: Strength, evidence: Evidence, judging: Judging): Judged {
  const { gaps, errors, seen } = evidence;
  if (evidence.violations > 0) return broken(strength, evidence);
  if (errors.length > 0) return { verdict: 'error', reason: errors.join('; '), gaps };
  const inconclusive = gaps.filter(
    ({ kind, begun }) => kind === 'inconclusive' && (begun !== false || seen === 0),
  );
  if (inconclusive.length > 0) {
    return { verdict: 'inconclusive', reason: reasonsOf(inconclusive), gaps };
  }
  if (seen > 0) {
    const reason = gaps.length > 0 ? `in part: ${reasonsOf(gaps)}` : undefined;
    return { verdict: strength === 'open' ? 'observed' : 'passed', ...present({ reason }), gaps };
  }
  const missing = gaps.length > 0 ? gaps : unseen(evidence, judging);
  return { verdict: 'not-exercised', reason: reasonsOf(missing), gaps: missing };
}

function broken(strength: Strength, { findings, gaps }: Evidence): Judged {
  if (strength === 'stated') return { verdict: 'failed', gaps };
  if (strength === 'implied') return { verdict: 'warned', gaps };
  const judged = findings[0]?.message ?? '';
  const reason = `the contract leaves this open, but a check of ours judged it: ${judged}`;
  return { verdict: 'error', reason, gaps };
}

/** Why nothing was observed, if no case reported a gap. */
function unseen({ cases }: Evidence, { presumedGaps, partial }: Judging): readonly Gap[] {
  if (cases.length > 0) return [presumed('nothing that came back shows it either way')];
  return partial ? [presumed('the run ended before it was judged')] : presumedGaps;
}

function presumed(reason: string, line?: string): Gap {
  return { kind: 'not-exercised', reason, ...present({ line }), presumed: true };
}

/** What the catalogue says about a requirement that no case tried, for a target that `offers` some of its needs. */
export function gapsFromNeeds(
  requirement: Requirement,
  offers: (need: string) => boolean,
): readonly Gap[] {
  const { needs } = contractData(requirement.contract);
  const lacking = (requirement.needs ?? []).filter((need) => !offers(need));
  const known = lacking.flatMap((name) => needs[name] ?? []);
  if (known.length === 0) {
    const reason =
      requirement.universal === true
        ? 'no exchange of this run shows it'
        : 'no case of this run judged it';
    return [presumed(reason)];
  }
  return known.map(({ purpose, line }) =>
    presumed(`no case of this run judged it; it needs ${purpose}`, line),
  );
}

function reasonsOf(gaps: readonly Gap[]): string {
  return [...new Set(gaps.map(({ reason }) => reason))].join('; ');
}

/** The deviation for a requirement at a target. One for this target takes precedence over one for all. */
export function deviationOf(
  deviations: readonly Deviation[],
  requirement: string,
  target: string,
): Deviation | undefined {
  const about = deviations.filter((each) => each.requirement === requirement);
  return (
    about.find((each) => each.target === target) ?? about.find((each) => each.target === undefined)
  );
}

/** Applies a declared deviation. Only a broken requirement can be waived. */
function withDeviation(judged: Judged, { declared, startedAt }: Judging): Judged {
  if (declared === undefined) return judged;
  const { reason, link, expires } = declared;
  const state = stateOf(judged, expires, startedAt);
  const deviation = { reason, ...present({ link }), expires, state };
  if (state === 'waived') {
    const accepted = `accepted until ${expires}: ${reason}`;
    return { ...judged, verdict: 'waived', reason: accepted, deviation };
  }
  if (state === 'expired') {
    const over = `it was accepted until ${expires}, which is over: ${reason}`;
    return { ...judged, reason: over, deviation };
  }
  return { ...judged, deviation };
}

function stateOf(judged: Judged, expires: string, startedAt: string): KnownDeviation['state'] {
  if (standings[judged.verdict] === 'broken') {
    return startedAt.slice(0, expires.length) > expires ? 'expired' : 'waived';
  }
  // The part that was not exercised may still be broken.
  return judged.verdict === 'passed' && judged.gaps.length === 0 ? 'healed' : 'unseen';
}

/** The profiles of each contract, with the ids of their stated requirements. */
export type Profiles = Partial<Record<Contract, readonly Pick<Profile, 'name' | 'stated'>[]>>;

/** A profile is met if each of its stated requirements passed. One that the run left out counts as not passed. */
export function profilesOf(
  profiles: Profiles[Contract],
  results: readonly RequirementResult[],
): Pick<TargetResult, 'profiles'> {
  if (profiles === undefined) return {};
  const byId = new Map(results.map((result) => [result.id, result]));
  return {
    profiles: profiles.map(({ name, stated }) => {
      const held = stated.filter((id) => byId.get(id)?.verdict === 'passed').length;
      return { name, met: stated.length > 0 && held === stated.length, held, total: stated.length };
    }),
  };
}

/** SHA-256 over every requirement, in hex, independent of their order. */
export function catalogueDigest(catalogue: readonly Requirement[]): string {
  const rows = catalogue.map((requirement) =>
    JSON.stringify([
      requirement.id,
      requirement.clause,
      requirement.strength,
      requirement.statement,
      requirement.judged ?? '',
      [...(requirement.needs ?? [])].toSorted(byText),
    ]),
  );
  return sha256(rows.toSorted(byText).join('\n'));
}
