/** From evidence to verdict: the one place where it is decided what holds. */

import { computeNeeds, routerNeeds, type Need } from '../schemas/needs.ts';
import type { Requirement } from '../schemas/requirement.ts';
import type { Gap, Verdict } from '../schemas/report.ts';
import type { Evidence } from './evidence.ts';

export interface Judged {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** What was missing, with lines of the target file; grown by what the catalogue knows when no case told. */
  readonly gaps: readonly Gap[];
}

export const noEvidence: Evidence = {
  seen: 0,
  violations: 0,
  findings: [],
  gaps: [],
  recordings: [],
  cases: [],
  errors: [],
  sample: undefined,
};

/**
 * Nothing counts as held that was not seen. A violation outweighs everything; our own error and an
 * inconclusive case outweigh what other cases saw, because the requirement was not judged as it should be.
 */
export function verdictOf(requirement: Requirement, evidence: Evidence, partial: boolean): Judged {
  const { gaps } = evidence;
  if (evidence.violations > 0) return { ...broken(requirement, evidence), gaps };
  if (evidence.errors.length > 0) {
    return { verdict: 'error', reason: evidence.errors.join('; '), gaps };
  }
  const inconclusive = gaps.filter(({ kind }) => kind === 'inconclusive');
  if (inconclusive.length > 0) {
    return { verdict: 'inconclusive', reason: reasonsOf(inconclusive), gaps };
  }
  if (evidence.seen > 0 || recorded(requirement, evidence)) return held(requirement, gaps);
  return notExercised(requirement, evidence, partial);
}

function broken(requirement: Requirement, evidence: Evidence): Omit<Judged, 'gaps'> {
  if (requirement.strength === 'stated') return { verdict: 'failed' };
  if (requirement.strength === 'implied') return { verdict: 'warned' };
  const judged = evidence.findings[0]?.message ?? '';
  return {
    verdict: 'error',
    reason: `the contract leaves this open, but a check of ours judged it: ${judged}`,
  };
}

function recorded(requirement: Requirement, evidence: Evidence): boolean {
  return requirement.strength === 'open' && evidence.recordings.length > 0;
}

function held(requirement: Requirement, gaps: readonly Gap[]): Judged {
  return {
    verdict: requirement.strength === 'open' ? 'observed' : 'passed',
    ...(gaps.length > 0 ? { reason: `in part: ${reasonsOf(gaps)}` } : {}),
    gaps,
  };
}

function notExercised(requirement: Requirement, evidence: Evidence, partial: boolean): Judged {
  if (evidence.gaps.length > 0) {
    return { verdict: 'not-exercised', reason: reasonsOf(evidence.gaps), gaps: evidence.gaps };
  }
  if (evidence.cases.length > 0 || partial) {
    const reason =
      evidence.cases.length > 0
        ? 'nothing that came back shows it either way'
        : 'the run ended before it was judged';
    return { verdict: 'not-exercised', reason, gaps: [{ kind: 'not-exercised', reason }] };
  }
  const gaps = gapsFromNeeds(requirement);
  return { verdict: 'not-exercised', reason: reasonsOf(gaps), gaps };
}

const needs: ReadonlyMap<string, Need> = new Map<string, Need>([
  ...Object.entries(computeNeeds).map(([name, need]) => [`compute ${name}`, need] as const),
  ...Object.entries(routerNeeds).map(([name, need]) => [`router ${name}`, need] as const),
]);

/** What the catalogue says about a requirement that no case even tried. */
function gapsFromNeeds(requirement: Requirement): readonly Gap[] {
  const known = (requirement.needs ?? []).flatMap((name) => {
    const need = needs.get(`${requirement.contract} ${name}`);
    return need === undefined ? [] : [need];
  });
  if (known.length === 0) {
    const reason =
      requirement.universal === true
        ? 'no exchange of this run shows it'
        : 'no case of this run set out to judge it';
    return [{ kind: 'not-exercised', reason }];
  }
  return known.map(({ purpose, line }) => ({
    kind: 'not-exercised',
    reason: `no case of this run judged it; it needs ${purpose}`,
    line,
  }));
}

function reasonsOf(gaps: readonly Gap[]): string {
  return [...new Set(gaps.map(({ reason }) => reason))].join('; ');
}
