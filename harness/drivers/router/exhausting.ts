/** Spending a quota by sending until the router refuses: how much it takes is the deployment's. */

import { codeOf } from '../../checks/router/envelope.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';

export interface Exhausted {
  /** The first refusal, or the last answer when there was none. */
  readonly last: Exchange;
  /** Answers before it that were no refusal. */
  readonly passed: number;
  /** Answers that were successes: whether any other costs quota is open. */
  readonly served: number;
  readonly sent: number;
}

export interface ExhaustOptions {
  readonly code: RouterCode;
  /** Requests after which we give up. */
  readonly most: number;
  /** Requests at once; 1 unless told. */
  readonly atOnce?: number;
}

/** Sends until one is refused with the code, a few at once. */
export async function untilRefused(
  send: () => Promise<Exchange>,
  options: ExhaustOptions,
): Promise<Exhausted> {
  const { code, most, atOnce = 1 } = options;
  let sent = 0;
  let passed = 0;
  let served = 0;
  for (;;) {
    const batch = await Promise.all(
      Array.from({ length: Math.min(atOnce, most - sent) }, async () => send()),
    );
    sent += batch.length;
    passed += batch.filter((exchange) => codeOf(exchange) !== code).length;
    served += batch.filter(isSuccess).length;
    const refused = batch.find((exchange) => codeOf(exchange) === code);
    const last = refused ?? batch.at(-1);
    if (last === undefined) throw new RangeError('nothing may be sent');
    if (refused !== undefined || sent >= most) return { last, passed, served, sent };
  }
}
