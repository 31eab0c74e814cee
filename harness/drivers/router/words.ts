/** Texts by their length in tokens, as far as a word is one. Routers estimate in their own ways. */

import { NotExercised } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';

/** A text of so many short words: about as many tokens by any tokenizer, and a few more by counting characters. */
export function words(count: number): string {
  return 'word '.repeat(Math.max(1, Math.round(count)));
}

/** How many times over a bound a text must be, so that no estimate takes it for less. */
const FAR = 8;
const BYTES_PER_WORD = 5;
/** Bytes of a request that we are ready to send where bodies have a higher limit or none. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Bytes that pass as a rule where nothing is known of a limit, so that no 413 stands in for another refusal. */
const SAFE_BYTES = 512 * 1024;
/** Bytes of a request beside its text. */
const REST_BYTES = 4_096;

/**
 * A text far over `tokens` tokens by any plausible estimate, or so many times over it. Throws `NotExercised` when it would not fit into a request.
 */
export function wordsBeyond(
  t: Pick<RouterContext, 'limits'>,
  tokens: number,
  { times = FAR } = {},
): string {
  const { maxRequestBytes: limit = SAFE_BYTES } = t.limits;
  const room = Math.min(limit === 0 ? MAX_BYTES : limit, MAX_BYTES) - REST_BYTES;
  const count = times * (tokens + 16);
  if (count * BYTES_PER_WORD > room) {
    throw new NotExercised(
      `an input far over ${tokens} tokens does not fit into a request of ${room} bytes`,
      t.limits.maxRequestBytes === undefined ? 'limits: { maxRequestBytes: 10485760 }' : undefined,
    );
  }
  return words(count);
}
