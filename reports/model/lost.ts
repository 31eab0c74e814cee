/** What a target did to most requests of a run, told once for all that could not be judged, or was broken, by it. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { CaseOutcome, LostRequests } from '../../schemas/outcome.ts';
import type { ConformanceReport, TargetResult, RunnerError } from '../../schemas/report.ts';
import { grouped, plural, sum, visibleLine } from './text.ts';

/** Lost requests below which a few accidents could be all that there was. */
const FEWEST = 5;
/** Characters of what came that are shown, and of all that is said. */
const SHOWN_BODY = 80;
const SHOWN_TEXT = 400;

interface Lost extends Omit<LostRequests, 'exchange'> {
  readonly case: string;
  readonly exchange: ReportedExchange;
}

/** One trouble where at least half of the requests of a target got no answer that can be read; none otherwise. */
export function lostRequests(
  target: string,
  outcomes: readonly CaseOutcome[],
): readonly RunnerError[] {
  const all = outcomes.flatMap(lostIn);
  const lost = sum(all, ({ count }) => count);
  const requests = sum(outcomes, (outcome) => outcome.requests);
  const [usual, ...others] = byKind(all);
  if (usual === undefined || lost < FEWEST || 2 * lost < requests) return [];
  const like = usual.count === lost ? '' : `, ${usual.count} of them like this`;
  const also = others.map(({ why, count }) => `; ${count}: ${kindOf(why)}`);
  const message = `${lost} of ${plural(requests, 'request')} got no answer that can be read${like}: ${lostText(usual)}${also.join('')}`;
  const text = visibleLine(message, SHOWN_TEXT);
  return [{ target, by: 'target', case: usual.case, message: text, exchange: usual.exchange.id }];
}

function lostIn(outcome: CaseOutcome): readonly Lost[] {
  return (outcome.lost ?? []).flatMap((row) => {
    const exchange = outcome.exchanges.find(({ id }) => id === row.exchange);
    return exchange === undefined ? [] : [{ ...row, case: outcome.case, exchange }];
  });
}

/** The first of each kind with the number of all, the most frequent kind first. */
function byKind(all: readonly Lost[]): readonly Lost[] {
  return [...grouped(all, ({ why }) => kindOf(why)).values()]
    .flatMap((alike) =>
      alike.slice(0, 1).map((first) => ({ ...first, count: sum(alike, ({ count }) => count) })),
    )
    .toSorted((one, other) => other.count - one.count);
}

function kindOf(why: string): string {
  return why.split(':', 1)[0] ?? '';
}

/** What came of a request, with the beginning of the body. */
function lostText({ exchange: { request, response }, why }: Lost): string {
  const came = response?.body.text ?? response?.body.base64 ?? '';
  const body = came.slice(0, SHOWN_BODY);
  const answered =
    response === undefined
      ? ''
      : ` was answered ${response.status} with ${JSON.stringify(body)}${body === came ? '' : ' …'}`;
  return `${request.method} ${request.url}${answered}: ${why}`;
}

/** What the targets did, apart from our own mistakes. */
export function ofTargets({
  troubles,
}: Pick<ConformanceReport, 'troubles'>): readonly RunnerError[] {
  return troubles.filter(({ by }) => by === 'target');
}

/** Our own mistakes, apart from what the targets did. */
export function ofSuite({ troubles }: Pick<ConformanceReport, 'troubles'>): readonly RunnerError[] {
  return troubles.filter(({ by }) => by === undefined);
}

/** What the target did to most requests, in a sentence without its full stop; undefined where that was nothing. */
export function troubleOf(
  report: Pick<ConformanceReport, 'troubles'>,
  { name }: Pick<TargetResult, 'name'>,
): string | undefined {
  const messages = ofTargets(report).flatMap(({ target, message }) =>
    target === name ? [message] : [],
  );
  return messages.length === 0 ? undefined : messages.join('; ');
}
