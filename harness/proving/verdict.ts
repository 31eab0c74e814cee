/** What a proof says of the suite. */

import type { Proof } from './prove.ts';

export interface ProofVerdict {
  /**
   * - `killed`: everything that the fault declares was found, and nothing else but its consequences. Where it meets the
   *   whole suite, something of these will do: what is broken may get in the way of the case that was made to find it.
   * - `survived`: something declared was not found.
   * - `wrongly-killed`: found as declared, and more that is no consequence of it.
   * - `quiet`: a conforming subject without finding.
   * - `false-alarm`: a conforming subject with a finding, or with an error of ours.
   */
  readonly kind: 'killed' | 'survived' | 'wrongly-killed' | 'quiet' | 'false-alarm';
  readonly missed: readonly string[];
  readonly surplus: readonly string[];
}

export function verdictOf(proof: Proof): ProofVerdict {
  const missed = proof.breaks.filter((id) => !proof.found.includes(id));
  const declared = new Set([...proof.breaks, ...proof.consequences]);
  const surplus = proof.found.filter((id) => !declared.has(id));
  if (proof.kind !== 'fault') {
    const quiet = surplus.length === 0 && proof.errors.length === 0;
    return { kind: quiet ? 'quiet' : 'false-alarm', missed, surplus };
  }
  const found = proof.depth === 'full' && surplus.length < proof.found.length;
  if (missed.length > 0 && !found) return { kind: 'survived', missed, surplus };
  return { kind: surplus.length > 0 ? 'wrongly-killed' : 'killed', missed, surplus };
}
