/** Answers of the Anthropic-style routes: messages and count_tokens. */

import type { Complete, StreamEvent } from '../behaviour.ts';
import type { Output } from './output.ts';

/** `POST /v1/messages` */
export function messageAnswer(output: Output, id: string) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: output.model,
    content: [{ type: 'text', text: output.pieces.join('') }],
    stop_reason: stopReason(output),
    stop_sequence: null,
    usage: { input_tokens: output.usage.inputTokens, output_tokens: output.usage.outputTokens },
  };
}

/** The same as a stream; its last events carry the usage and the end. */
export function messageStream(
  output: Output,
  id: string,
  behaviour: Complete,
): readonly StreamEvent[] {
  const start = {
    ...messageAnswer(output, id),
    content: [],
    stop_reason: null,
    usage: { input_tokens: output.usage.inputTokens, output_tokens: 0 },
  };
  return [
    typed({ type: 'message_start', message: start }),
    typed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...output.pieces.map((text) =>
      typed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    typed({ type: 'content_block_stop', index: 0 }),
    typed({
      type: 'message_delta',
      delta: { stop_reason: stopReason(output), stop_sequence: null },
      usage: { output_tokens: output.usage.outputTokens },
    }),
    ...(behaviour.done === false ? [] : [typed({ type: 'message_stop' })]),
  ];
}

/** `POST /v1/messages/count_tokens` */
export function tokenCount(output: Output) {
  return { input_tokens: output.usage.inputTokens };
}

type Json = Extract<StreamEvent, { json: unknown }>['json'];

function typed(json: { readonly type: string } & Readonly<Record<string, Json>>): StreamEvent {
  return { event: json.type, json };
}

function stopReason(output: Output): string {
  return output.finishReason ?? (output.cut ? 'max_tokens' : 'end_turn');
}
