/** A chat stream with far more output than a daily budget, and its bytes as the engine sends them. */

import { chatChunk, chatEvents } from './chat-chunks.ts';

/** Words that are really written; beyond them the usage alone claims them. */
const MAX_WORDS = 20_000;
const PIECES = 20;
/** The word of which the text consists. */
export const OVERRUN_WORD = 'overrun';

/** Three times `limit` tokens, in the text and in the usage of the last chunk. The engine adds its end marker. */
export function streamBeyond(limit: number): {
  readonly events: readonly { readonly data: string }[];
  readonly bytes: Uint8Array;
} {
  const outputTokens = 3 * limit;
  const piece = `${OVERRUN_WORD} `.repeat(Math.ceil(Math.min(outputTokens, MAX_WORDS) / PIECES));
  const usage = {
    prompt_tokens: 10,
    completion_tokens: outputTokens,
    total_tokens: outputTokens + 10,
  };
  const events = [
    ...chatEvents(Array.from({ length: PIECES }, () => piece)),
    { data: JSON.stringify({ ...chatChunk(''), choices: [], usage }) },
  ];
  const sent = [...events, { data: '[DONE]' }].map(({ data }) => `data: ${data}\n\n`);
  return { events, bytes: Buffer.from(sent.join('')) };
}
