/** Streams whose engine is lost somewhere, between events or inside one. */

import { type Arbitrary, constantFrom, nat, record } from 'fast-check';
import { cutStream } from './chat-chunks.ts';

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
