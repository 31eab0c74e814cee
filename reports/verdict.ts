/** From evidence to verdict: the one place where it is decided what holds. */

import { contractData } from '../schemas/contracts.ts';
import type { Requirement, Strength } from '../schemas/requirement.ts';
import type { Gap, Verdict } from '../schemas/report.ts';
import type { CaseRecorder } from './evidence.ts';

export interface Judged {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** What was missing, with lines of the target file; grown by what the catalogue knows when no case told. */
  readonly gaps: readonly Gap[];
}

/** What a verdict must know of a requirement. */
export interface Subject {
  readonly strength: Strength;
  /** What to say where no case even tried. */
  readonly presumedGaps: () => readonly Gap[];
}

/** The part of the evidence that decides. */
export interface Weighed extends Omit<CaseRecorder, 'findings'> {
  readonly findings: readonly { readonly message: string }[];
}

export const noEvidence: CaseRecorder = {
  seen: 0,
  tries: 1,
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
export function verdictOf(subject: Subject, evidence: Weighed, partial: boolean): Judged {
  const { gaps } = evidence;
  if (evidence.violations > 0) return { ...broken(subject, evidence), gaps };
  if (evidence.errors.length > 0) {
    return { verdict: 'error', reason: evidence.errors.join('; '), gaps };
  }
  const inconclusive = gaps.filter(({ kind }) => kind === 'inconclusive');
  if (inconclusive.length > 0) {
    return { verdict: 'inconclusive', reason: reasonsOf(inconclusive), gaps };
  }
  if (evidence.seen > 0 || recorded(subject, evidence)) return held(subject, gaps);
  return notExercised(subject, evidence, partial);
}

function broken({ strength }: Subject, evidence: Weighed): Omit<Judged, 'gaps'> {
  if (strength === 'stated') return { verdict: 'failed' };
  if (strength === 'implied') return { verdict: 'warned' };
  const judged = evidence.findings[0]?.message ?? '';
  return {
    verdict: 'error',
    reason: `the contract leaves this open, but a check of ours judged it: ${judged}`,
  };
}

function recorded({ strength }: Subject, evidence: Weighed): boolean {
  return strength === 'open' && evidence.recordings.length > 0;
}

function held({ strength }: Subject, gaps: readonly Gap[]): Judged {
  return {
    verdict: strength === 'open' ? 'observed' : 'passed',
    ...(gaps.length > 0 ? { reason: `in part: ${reasonsOf(gaps)}` } : {}),
    gaps,
  };
}

function notExercised(subject: Subject, evidence: Weighed, partial: boolean): Judged {
  if (evidence.gaps.length > 0) {
    return { verdict: 'not-exercised', reason: reasonsOf(evidence.gaps), gaps: evidence.gaps };
  }
  if (evidence.cases.length > 0 || partial) {
    const reason =
      evidence.cases.length > 0
        ? 'nothing that came back shows it either way'
        : 'the run ended before it was judged';
    return {
      verdict: 'not-exercised',
      reason,
      gaps: [{ kind: 'not-exercised', reason, presumed }],
    };
  }
  const gaps = subject.presumedGaps();
  return { verdict: 'not-exercised', reason: reasonsOf(gaps), gaps };
}

const presumed = true;

/** What the catalogue says about a requirement that no case even tried. */
export function gapsFromNeeds(requirement: Requirement): readonly Gap[] {
  const { needs } = contractData(requirement.contract);
  const known = (requirement.needs ?? []).flatMap((name) => needs[name] ?? []);
  if (known.length === 0) {
    const reason =
      requirement.universal === true
        ? 'no exchange of this run shows it'
        : 'no case of this run set out to judge it';
    return [{ kind: 'not-exercised', reason, presumed }];
  }
  return known.map(({ purpose, line }) => ({
    kind: 'not-exercised',
    reason: `no case of this run judged it; it needs ${purpose}`,
    line,
    presumed,
  }));
}

function reasonsOf(gaps: readonly Gap[]): string {
  return [...new Set(gaps.map(({ reason }) => reason))].join('; ');
}
