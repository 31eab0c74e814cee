/** Known deviations: what is broken is still tested and told, but does not fail the run until it expires. */

import type { Deviation } from '../schemas/deviations.ts';
import type { KnownDeviation } from '../schemas/report.ts';
import type { Judged } from './verdict.ts';

/** The deviation that speaks of a requirement at a target; one for this target goes before one for all. */
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

type Declared = Pick<Deviation, 'reason' | 'link' | 'expires'>;

/**
 * What a deviation makes of a verdict. Only what is broken can be waived: our own error, and what could not be
 * judged, stay what they are. `startedAt` (UTC) decides whether it has expired, and not the clock of a reader.
 */
export function withDeviation(
  judged: Judged,
  declared: Declared | undefined,
  { startedAt }: { readonly startedAt: string },
): Judged & { readonly deviation?: KnownDeviation } {
  if (declared === undefined) return judged;
  const { reason, link, expires } = declared;
  const state = stateOf(judged, expires, startedAt);
  const deviation = { reason, ...(link === undefined ? {} : { link }), expires, state };
  if (state === 'waived') {
    return {
      ...judged,
      verdict: 'waived',
      reason: `accepted until ${expires}: ${reason}`,
      deviation,
    };
  }
  if (state === 'expired') {
    return {
      ...judged,
      reason: `it was accepted until ${expires}, which is over: ${reason}`,
      deviation,
    };
  }
  return { ...judged, deviation };
}

function stateOf(judged: Judged, expires: string, startedAt: string): KnownDeviation['state'] {
  if (judged.verdict === 'failed' || judged.verdict === 'warned') {
    return startedAt.slice(0, expires.length) > expires ? 'expired' : 'waived';
  }
  // What was exercised in part may still be broken in the other part.
  return judged.verdict === 'passed' && judged.gaps.length === 0 ? 'healed' : 'unseen';
}
