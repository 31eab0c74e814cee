/** Reports a target that fails most requests once, in place of every requirement that this affects. */

import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { CaseOutcome, LostRequests } from '../../schemas/outcome.ts';
import type { ConformanceReport, TargetResult, RunnerError } from '../../schemas/report.ts';
import { grouped, plural, sum, visibleLine } from './text.ts';

/** Minimum number of lost requests. Fewer may be accidents. */
const FEWEST = 5;
/** Maximum characters of a response body and of the whole message. */
const SHOWN_BODY = 80;
const SHOWN_TEXT = 400;

interface Lost extends Omit<LostRequests, 'exchange'> {
  readonly case: string;
  readonly exchange: ReportedExchange;
}

/** One error if at least half of the requests to a target got no readable response, otherwise none. */
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

/** The first of each kind with the number of all, most frequent first. */
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

/** The response to a request, with the beginning of the body. */
function lostText({ exchange: { request, response }, why }: Lost): string {
  const came = response?.body.text ?? response?.body.base64 ?? '';
  const body = came.slice(0, SHOWN_BODY);
  const answered =
    response === undefined
      ? ''
      : ` was answered ${response.status} with ${JSON.stringify(body)}${body === came ? '' : ' …'}`;
  return `${request.method} ${request.url}${answered}: ${why}`;
}

/** Errors caused by the targets. */
export function ofTargets({
  troubles,
}: Pick<ConformanceReport, 'troubles'>): readonly RunnerError[] {
  return troubles.filter(({ by }) => by === 'target');
}

/** Errors of our own. */
export function ofSuite({ troubles }: Pick<ConformanceReport, 'troubles'>): readonly RunnerError[] {
  return troubles.filter(({ by }) => by === undefined);
}

/** How the target failed most requests, in a sentence without a full stop. Undefined if it did not. */
export function troubleOf(
  report: Pick<ConformanceReport, 'troubles'>,
  { name }: Pick<TargetResult, 'name'>,
): string | undefined {
  const messages = ofTargets(report).flatMap(({ target, message }) =>
    target === name ? [message] : [],
  );
  return messages.length === 0 ? undefined : messages.join('; ');
}
