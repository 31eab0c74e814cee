/** Requests of a case whose answers nobody can read, counted by why. */

import type { LostRequests } from '../../schemas/outcome.ts';
import { jsonBody } from '../exchange/body.ts';
import { type Exchange, mediaType } from '../exchange/exchange.ts';
import type { Redactor } from '../exchange/redaction.ts';

export class LostCount {
  readonly #rows = new Map<string, LostRequests>();

  readonly #keep: (exchange: Exchange) => string;
  readonly #redactor: Redactor;

  /** `keep` puts an exchange into the report and returns its id. */
  constructor(keep: (exchange: Exchange) => string, redactor: Redactor) {
    this.#keep = keep;
    this.#redactor = redactor;
  }

  add(exchange: Exchange): void {
    const why = unreadable(exchange);
    if (why === undefined) return;
    const [kind = ''] = why.split(':', 1);
    const row = this.#rows.get(kind) ?? {
      exchange: this.#keep(exchange),
      why: this.#redactor.text(why),
      count: 0,
    };
    this.#rows.set(kind, { ...row, count: row.count + 1 });
  }

  /** One row for each reason. */
  get rows(): readonly LostRequests[] {
    return [...this.#rows.values()];
  }
}

/** Why nobody can read the answer, or that it did not come whole; undefined for one that is read, or that we did not wait for. */
function unreadable(exchange: Exchange): string | undefined {
  const { request, response, ending, cause } = exchange;
  const type = mediaType(response?.headers ?? []);
  if (ending === 'aborted') return undefined;
  // A stream ends early where what makes it does: a router is to pass that on.
  if (type === 'text/event-stream' && (ending === 'cut-short' || ending === 'reset')) {
    return undefined;
  }
  if (ending !== 'complete')
    return `it ended "${ending}"${cause === undefined ? '' : `: ${cause}`}`;
  const isRead = type === 'application/json' && request.method !== 'HEAD';
  const body = isRead ? jsonBody(exchange) : undefined;
  return body?.ok === false ? body.problem : undefined;
}
