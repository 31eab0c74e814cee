/**
 * Notices that a plain model no longer serves: every further request would wait for its deadline, and use up the budget. And
 * asks again for a model that is not found although it served before: its agents may have been lost with an engine that
 * another case lost, and register it again in a moment.
 */

import { isSuccess } from '../../checks/router/outcome.ts';
import { envelopeCode } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import { retry, type Waiting } from '../../runner/retry.ts';

/** Codes of a request that found no place; an engine's errors have others. */
const UNSERVED: ReadonlySet<string> = new Set(['no_capacity', 'request_timeout']);
/** Unserved requests in a row, and milliseconds that they span: longer than a filling of the whole router takes. */
const MANY = 24;
const LONG_MS = 10_000;
/** When a plain model does not serve, so many in a row are enough for any other model. */
const FEW = 2;
/** Milliseconds after which one more request may probe whether the model serves again. */
const PROBE_AGAIN_MS = 30_000;

class Row {
  hasServed = false;
  unserved = 0;
  since = 0;
  probeAgainAt = 0;
  probe: Promise<unknown> | undefined;
}

export class ServingWatch {
  readonly #plain: readonly string[];
  readonly #waiting: Waiting;
  readonly #rows = new Map<string, Row>();
  readonly #now: () => number;

  /** `plain` models should serve anybody at any time; `now` is in milliseconds. */
  constructor(
    plain: readonly string[],
    waiting: Waiting,
    now: () => number = () => performance.now(),
  ) {
    this.#plain = plain;
    this.#waiting = waiting;
    this.#now = now;
  }

  /**
   * Sends, unless a plain model has not served for long and this model has not served lately. Then one request probes
   * whether it serves again, and the others wait for its result. Throws `Inconclusive` when it does not.
   */
  async send(model: string, send: () => Promise<Exchange>): Promise<Exchange> {
    const row = this.#rowOf(model);
    if (this.#isDead(row)) {
      if (row.probe === undefined && this.#now() >= row.probeAgainAt) return this.#probe(row, send);
      await row.probe;
      if (this.#isDead(row)) {
        throw new Inconclusive(
          `${model} serves no requests any more: the last ${row.unserved} found no place`,
        );
      }
    }
    const isFound = (exchange: Exchange): boolean =>
      !row.hasServed || envelopeCode(exchange) !== 'model_not_found';
    return this.#seen(row, await retry(this.#waiting, 'agentsHealthy', send, isFound));
  }

  async #probe(row: Row, send: () => Promise<Exchange>): Promise<Exchange> {
    const asked = send();
    row.probe = asked.then(
      (exchange) => this.#seen(row, exchange),
      () => undefined,
    );
    await row.probe;
    row.probe = undefined;
    row.probeAgainAt = this.#now() + PROBE_AGAIN_MS;
    return asked;
  }

  #seen(row: Row, exchange: Exchange): Exchange {
    if (exchange.response === undefined) return exchange;
    row.hasServed ||= isSuccess(exchange);
    const isUnserved = UNSERVED.has(envelopeCode(exchange));
    if (isUnserved && row.unserved === 0) row.since = this.#now();
    row.unserved = isUnserved ? row.unserved + 1 : 0;
    return exchange;
  }

  #rowOf(model: string): Row {
    const row = this.#rows.get(model) ?? new Row();
    this.#rows.set(model, row);
    return row;
  }

  #isDead(row: Row): boolean {
    if (row.unserved < FEW) return false;
    return this.#plain.some((model) => {
      const { unserved, since } = this.#rowOf(model);
      return unserved >= MANY && this.#now() - since >= LONG_MS;
    });
  }
}
