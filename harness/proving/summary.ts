/** The figures of a proof run. */

import type { Proof } from './prove.ts';
import { verdictOf } from './verdict.ts';

export interface ProofSummary {
  readonly text: string;
  /** True when something was proved, every fault killed for its reasons alone, and no conforming subject found at fault. */
  readonly sound: boolean;
}

export function summaryOf(proofs: readonly Proof[]): ProofSummary {
  const of = (kind: ReturnType<typeof verdictOf>['kind']): readonly Proof[] =>
    proofs.filter((proof) => verdictOf(proof).kind === kind);
  const names = (list: readonly Proof[]): string =>
    list.length === 0 ? '' : `: ${list.map(({ name }) => name).join(', ')}`;
  const faults = proofs.filter(({ kind }) => kind === 'fault');
  const conforming = proofs.filter(({ kind }) => kind !== 'fault');
  const choices = conforming
    .filter(({ kind }) => kind === 'variant')
    .reduce((sum, { members }) => sum + Math.max(1, members.length), 0);
  const firsts = faults
    .flatMap(({ requestsToFirst }) => requestsToFirst ?? [])
    .toSorted((one, other) => one - other);
  const lines = [
    `${of('killed').length + of('wrongly-killed').length} of ${faults.length} faults killed`,
    `${of('survived').length} survived${names(of('survived'))}`,
    `${of('wrongly-killed').length} killed for more than they declare${names(of('wrongly-killed'))}`,
    `${of('false-alarm').length} false alarms on ${conforming.length} conforming deployments, which make ${choices} choices${names(of('false-alarm'))}`,
    `requests to the first finding: median ${quantile(firsts, 0.5)}, 90th percentile ${quantile(firsts, 0.9)}`,
  ];
  const sound =
    proofs.length > 0 &&
    (['survived', 'wrongly-killed', 'false-alarm'] as const).every((kind) => of(kind).length === 0);
  return { text: lines.join('\n'), sound };
}

/** The smallest value that at least the share `q` of the ascending values does not pass; `-` without values. */
function quantile(ascending: readonly number[], q: number): number | string {
  return ascending[Math.max(0, Math.ceil(q * ascending.length) - 1)] ?? '-';
}
