/** What the engine says: the text in pieces, the figures, the end. */

import type { Complete, Usage } from '../behaviour.ts';
import { maximumOutput, modelOf, type EngineRequest } from './request.ts';

export interface Output {
  readonly model: string;
  readonly pieces: readonly string[];
  readonly usage: Usage;
  /** Chosen by the script; else the ordinary one of the route. */
  readonly finishReason: string | undefined;
  /** Whether the maximum that was asked for cut the text. */
  readonly cut: boolean;
}

const greeting = 'Hello from the scripted backend.';

/** A word is a token here; the length of the input is guessed at four bytes of the body each. Chosen text is never cut. */
export function outputOf(behaviour: Complete, request: EngineRequest): Output {
  const chosen = behaviour.text !== undefined;
  const all =
    typeof behaviour.text === 'object' ? behaviour.text : wordsOf(behaviour.text ?? greeting);
  const pieces = chosen ? all : all.slice(0, maximumOutput(request));
  return {
    model: behaviour.model ?? modelOf(request),
    pieces,
    usage: behaviour.usage ?? {
      inputTokens: Math.max(1, Math.ceil(request.bodyLength / 4)),
      outputTokens: pieces.length,
    },
    finishReason: behaviour.finishReason,
    cut: pieces.length < all.length,
  };
}

/** Each word with the space before it. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? [''];
}
