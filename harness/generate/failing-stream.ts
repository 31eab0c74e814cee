/** Streams whose engine is lost somewhere, between events or inside one. */

import type { Place } from '../backend/behaviour.ts';
import { type Arbitrary, constantFrom, nat, record } from 'fast-check';
import { chatEvents, cutStream } from './chat-chunks.ts';

export interface FailingStream {
  readonly pieces: readonly string[];
  readonly lineEnding: 'lf' | 'crlf';
  /** How much of its bytes is sent, in thousandths. */
  readonly share: number;
  readonly how: 'close' | 'reset';
}

export const failingStream: Arbitrary<FailingStream> = record({
  stream: cutStream,
  share: nat(999),
  how: constantFrom('close' as const, 'reset' as const),
}).map(({ stream: { pieces, lineEnding }, share, how }) => ({ pieces, lineEnding, share, how }));

/** A stream whose engine is lost in the middle of it. */
export const lostEvents = chatEvents(['one', 'zwei äöü', '三']);

/** Where its engine is lost, how many whole events it has sent by then, and which requirement speaks of it. */
export const losses: readonly (readonly [
  name: string,
  slug: 'failure-between-events' | 'failure-inside-event',
  at: Place,
  whole: number,
])[] = [
  ['after one event', 'failure-between-events', { afterEvents: 1 }, 1],
  ['after two events', 'failure-between-events', { afterEvents: 2 }, 2],
  ['before its end', 'failure-between-events', 'before-end', 3],
  ['inside the second event', 'failure-inside-event', { insideEvent: 1 }, 1],
  [
    'before the last byte of an event',
    'failure-inside-event',
    { insideEvent: 1, afterBytes: 10_000 },
    1,
  ],
];
