/** Reads the results of the universal check, for the tests of checks. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type ComputeKnowledge, computeUniversal } from './universal.ts';

export interface Verdicts {
  /** Requirements with at least one observation. */
  readonly seen: readonly string[];
  /** Requirements with a violation. */
  readonly broken: readonly string[];
}

/** The result of the universal check for one exchange: sorted ids without `compute.`. */
export function verdictsOf(exchange: Exchange, knowledge: ComputeKnowledge = {}): Verdicts {
  const all = [...computeUniversal(exchange, knowledge)];
  const slug = (id: string) => id.replace(/^compute\./u, '');
  return {
    seen: all
      .filter(({ judgement }) => judgement.seen > 0)
      .map(({ requirement }) => slug(requirement))
      .toSorted(),
    broken: all
      .filter(({ judgement }) => judgement.violations.length > 0)
      .map(({ requirement }) => slug(requirement))
      .toSorted(),
  };
}
