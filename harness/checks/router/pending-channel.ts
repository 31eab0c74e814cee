/** The router's pending channel, full for five seconds (router#codes/queue_full). */

import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, together, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';

/** Milliseconds by which clocks and timers may differ. */
const TOLERANCE_MS = 100;

/**
 * Whether no queue_full came before the channel can have been full for five seconds. `filledFrom`: when the first
 * request left that could fill it, in milliseconds since the epoch. Other codes show nothing.
 */
export function waitedFiveSeconds(exchanges: readonly Exchange[], filledFrom: number): Judgement {
  const full = exchanges.filter((exchange) => codeOf(exchange) === 'queue_full');
  return together(
    ...full.map((exchange) => {
      const ms = exchange.startedAt + exchange.durationMs - filledFrom;
      return expectThat(
        ms >= QUEUE_FULL_SECONDS * 1_000 - TOLERANCE_MS,
        'A queue_full came before the pending channel was full for five seconds.',
        {
          expected: `not before ${QUEUE_FULL_SECONDS} s after the first request`,
          actual: `after ${Math.round(ms)} ms`,
        },
        exchange,
      );
    }),
  );
}
