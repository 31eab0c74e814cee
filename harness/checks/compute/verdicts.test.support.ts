/** Reading what the universal check said, for the tests of checks. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type ComputeKnowledge, computeUniversal } from './universal.ts';

export interface Verdicts {
  /** Requirements of which something was seen. */
  readonly seen: readonly string[];
  /** Requirements that were broken. */
  readonly broken: readonly string[];
}

/** What the universal check says of one exchange, ids without `compute.` and sorted. */
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
