/** The pending channel of a router, full for five seconds and not before (router#limits/queue). */

import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { isSuccess } from '../router/outcome.ts';
import { TOLERANCE_MS } from './deadline.ts';
import { notOverdue } from './together.ts';
import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';

/** A request that met a full router may be served or end at its deadline, which is no refusal. */
export function wasRefused(exchange: Exchange): boolean {
  return !isSuccess(exchange) && codeOf(exchange) !== 'request_timeout';
}

/** Some of the requests beyond the size of the channel were refused: not all were served or met their deadline. */
export function channelRefuses(beyond: readonly Exchange[]): Judgement {
  return expectThat(
    beyond.some(wasRefused),
    'None of the requests beyond the size of the pending channel was refused.',
    { expected: 'a refusal after five seconds', actual: 'all of them wait on' },
    ...beyond.slice(0, 1),
  );
}

/**
 * No queue_full came before the channel can have been full for five seconds. `filledFrom` is when the first request was
 * sent that could fill it, in milliseconds since the epoch. Other codes are not judged.
 */
export function waitedFiveSeconds(exchanges: readonly Exchange[], filledFrom: number): Judgement {
  const full = exchanges.filter(hasCode('queue_full'));
  return together(
    ...full.map((exchange) => {
      const ms = endOf(exchange) - filledFrom;
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

/** Milliseconds in which a channel has taken a waiting request in, once it has room: also on a busy machine. */
const TAKEN_IN_MS = 1_000;

/**
 * A request that waited for a full channel was not refused long after the channel had room, at `roomAt` (milliseconds
 * since the epoch). A router may refuse it with earlier ones, or just before it sees the room.
 */
export function letInOnceRoom(exchange: Exchange, roomAt: number): Judgement {
  const ms = endOf(exchange) - roomAt;
  if (exchange.startedAt > roomAt || ms < TAKEN_IN_MS) return notObserved;
  return expectThat(
    codeOf(exchange) !== 'queue_full',
    'A queue_full came although the pending channel had room before its five seconds were over.',
    { expected: 'no queue_full once there is room', actual: `after ${Math.round(ms)} ms of room` },
    exchange,
  );
}

/** A queue_full did not come long after it was due, judged beside an `other` request. */
export function refusedInTime(refused: Exchange, other: Exchange | undefined): Judgement {
  return notOverdue(refused, other, { code: 'queue_full', dueMs: QUEUE_FULL_SECONDS * 1_000 });
}

/** Share of a channel by which its count may be off: a router may hold some requests elsewhere. */
const INEXACT = 1 / 4;

/** The channel of `size` held as many requests as it takes: at most `most` were sent beyond that. Judges queue_full only. */
export function channelHeld(
  exchanges: readonly Exchange[],
  { most, size }: { readonly most: number; readonly size: number },
): Judgement {
  const [shown, ...others] = exchanges.filter(hasCode('queue_full'));
  if (shown === undefined) return notObserved;
  const missing = others.length + 1 - most;
  return expectThat(
    missing <= Math.max(1, Math.floor(size * INEXACT)),
    'The pending channel called itself full before it held as many requests as it takes.',
    { expected: `${size} requests in it`, actual: `about ${Math.max(0, size - missing)}` },
    shown,
  );
}
