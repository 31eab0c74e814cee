/** How many tokens an engine wrote, as far as its answer tells. */

import { createParser } from 'eventsource-parser';
import { jsonIn, memberOf } from './json.ts';

/** Output tokens that a usage record names, in either of the two dialects. */
function outputIn(json: unknown): number | undefined {
  const usages = [memberOf(json, 'usage'), memberOf(memberOf(json, 'message'), 'usage')];
  const counts = usages.flatMap((usage) => [
    memberOf(usage, 'completion_tokens'),
    memberOf(usage, 'output_tokens'),
  ]);
  return counts.filter((count) => typeof count === 'number').find((count) => count >= 0);
}

/** Output tokens of a whole answer; 0 when it names none. */
export function outputOf(body: Buffer): number {
  return outputIn(jsonIn(body)) ?? 0;
}

/** Counts the output tokens of a stream while it passes. */
export class StreamMeter {
  #named: number | undefined;
  #pieces = 0;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: ({ data }) => {
      const json = jsonIn(Buffer.from(data));
      const named = outputIn(json);
      // Usage grows along a stream: the largest is the last word.
      if (named !== undefined) this.#named = Math.max(named, this.#named ?? 0);
      if (memberOf(json, 'choices') !== undefined || memberOf(json, 'delta') !== undefined)
        this.#pieces += 1;
    },
  });

  add(piece: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(piece, { stream: true }));
  }

  /** What the stream named; without usage, one token for each piece of text. */
  output(): number {
    return this.#named ?? this.#pieces;
  }
}
