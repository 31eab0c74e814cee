/** Which exchanges a report keeps: the rest of the traffic is only counted. */

import type { ExchangeRecord, RequirementResult } from '../schemas/report.ts';
import { byText } from './order.ts';

/** The exchanges that findings, recordings and samples name, each once, in the order of their start. */
export function citedExchanges(
  exchanges: readonly ExchangeRecord[],
  requirements: readonly RequirementResult[],
): readonly ExchangeRecord[] {
  const cited = new Set<string>();
  for (const { findings, recordings, sample } of requirements) {
    for (const finding of findings) for (const id of finding.exchanges) cited.add(id);
    for (const { exchange } of recordings) if (exchange !== undefined) cited.add(exchange);
    if (sample !== undefined) cited.add(sample);
  }
  const kept = new Map(
    exchanges.filter(({ id }) => cited.has(id)).map((exchange) => [exchange.id, exchange]),
  );
  return [...kept.values()].toSorted(
    (left, right) => left.startedAt - right.startedAt || byText(left.id, right.id),
  );
}
