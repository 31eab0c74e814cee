/** The router's pending channel: what it holds, and that it is full for five seconds (router#codes/queue_full). */

import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, together, notObserved, type Judgement } from '../judgement.ts';
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

/** The part of a channel by which a count of it may be off: a router may hold some requests elsewhere. */
const INEXACT = 1 / 4;

/**
 * Whether a channel of `size` held so many requests, as far as the refusals tell of a router that was full: at most
 * `most` were beyond what it takes. Other codes than queue_full show nothing.
 */
export function channelHeld(
  exchanges: readonly Exchange[],
  { most, size }: { readonly most: number; readonly size: number },
): Judgement {
  const [shown, ...others] = exchanges.filter((exchange) => codeOf(exchange) === 'queue_full');
  if (shown === undefined) return notObserved;
  const missing = others.length + 1 - most;
  return expectThat(
    missing <= Math.max(1, Math.floor(size * INEXACT)),
    'The pending channel called itself full before it held as many requests as it takes.',
    { expected: `${size} requests in it`, actual: `about ${Math.max(0, size - missing)}` },
    shown,
  );
}
