/** Makes exchange ids unique across all outcomes, since each process of a run has its own counter. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { byKey, present } from './text.ts';

/** Outcomes in the order of target, case and time, with unique exchange ids. */
export function withUniqueExchanges(outcomes: readonly CaseOutcome[]): readonly CaseOutcome[] {
  const taken = new Map<string, ReportedExchange>();
  return outcomes.toSorted(byKey(orderOf)).map((outcome) => {
    const names = new Map<string, string>();
    for (const exchange of outcome.exchanges) {
      const name = freeName(exchange, taken);
      if (name !== exchange.id) names.set(exchange.id, name);
    }
    return names.size === 0 ? outcome : renamed(outcome, names);
  });
}

function orderOf(outcome: CaseOutcome): string {
  return [outcome.target, outcome.case, String(outcome.startedAt), outcome.section].join('\n');
}

/** The exchange's own id, or the id with a number if another exchange has it. */
function freeName(exchange: ReportedExchange, taken: Map<string, ReportedExchange>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? exchange.id : `${exchange.id}.${number}`;
    const holder = taken.get(name);
    if (holder === undefined) taken.set(name, exchange);
    if (holder === undefined || isSame(holder, exchange)) return name;
  }
}

/** Two cases may cite the same exchange, which is then equal in every field. */
function isSame(left: ReportedExchange, right: ReportedExchange): boolean {
  return (
    left === right ||
    (left.startedAt === right.startedAt && JSON.stringify(left) === JSON.stringify(right))
  );
}

function renamed(outcome: CaseOutcome, names: ReadonlyMap<string, string>): CaseOutcome {
  const nameOf = (id: string) => names.get(id) ?? id;
  return {
    ...outcome,
    exchanges: outcome.exchanges.map((exchange) => ({ ...exchange, id: nameOf(exchange.id) })),
    findings: outcome.findings.map((finding) => ({
      ...finding,
      exchanges: finding.exchanges.map(nameOf),
    })),
    recordings: outcome.recordings.map((recording) => citing(recording, nameOf)),
    ...present({ lost: outcome.lost?.map((one) => citing(one, nameOf)) }),
    samples: Object.fromEntries(
      Object.entries(outcome.samples).map(([requirement, id]) => [requirement, nameOf(id)]),
    ),
  };
}

/** The row with the id of its exchange replaced. */
export function citing<T extends { readonly exchange?: string | null | undefined }>(
  row: T,
  nameOf: (id: string) => string,
): T {
  const { exchange } = row;
  return typeof exchange === 'string' ? { ...row, exchange: nameOf(exchange) } : row;
}
