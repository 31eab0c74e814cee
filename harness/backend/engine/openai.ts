/** Answers of the OpenAI-style text routes: chat completions and completions. */

import type { Complete, StreamEvent } from '../behaviour.ts';
import type { Output } from './output.ts';
import { wantsStreamUsage, type EngineRequest } from './request.ts';

/** A JSON value that is built, not read. */
type Json = Extract<StreamEvent, { json: unknown }>['json'];

interface TextForm {
  readonly object: string;
  readonly chunkObject: string;
  readonly idPrefix: string;
  readonly choice: (text: string, reason: string) => Json;
  readonly firstDelta: readonly Json[];
  readonly delta: (text: string) => Json;
  readonly lastDelta: (reason: string) => Json;
}

/** `POST /v1/chat/completions` */
export const chatForm: TextForm = {
  object: 'chat.completion',
  chunkObject: 'chat.completion.chunk',
  idPrefix: 'chatcmpl-',
  choice: (text, reason) => ({
    index: 0,
    message: { role: 'assistant', content: text },
    logprobs: null,
    finish_reason: reason,
  }),
  firstDelta: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
  delta: (text) => ({ index: 0, delta: { content: text }, finish_reason: null }),
  lastDelta: (reason) => ({ index: 0, delta: {}, finish_reason: reason }),
};

/** `POST /v1/completions` */
export const completionForm: TextForm = {
  object: 'text_completion',
  chunkObject: 'text_completion',
  idPrefix: 'cmpl-',
  choice: (text, reason) => ({
    index: 0,
    text,
    logprobs: null,
    finish_reason: reason,
  }),
  firstDelta: [],
  delta: (text) => ({ index: 0, text, logprobs: null, finish_reason: null }),
  lastDelta: (reason) => ({
    index: 0,
    text: '',
    logprobs: null,
    finish_reason: reason,
  }),
};

/** A whole answer. */
export function textAnswer(form: TextForm, output: Output, id: string): Json {
  return {
    id: form.idPrefix + id,
    object: form.object,
    created: seconds(),
    model: output.model,
    choices: [form.choice(output.pieces.join(''), finishReason(output))],
    usage: usageOf(output),
  };
}

/** The same as a stream, with usage in a last chunk of its own if wanted. */
export function textStream(
  form: TextForm,
  output: Output,
  id: string,
  behaviour: Complete,
  request: EngineRequest,
): readonly StreamEvent[] {
  const head = {
    id: form.idPrefix + id,
    object: form.chunkObject,
    created: seconds(),
    model: output.model,
  };
  const choices = [
    ...form.firstDelta,
    ...output.pieces.map((piece) => form.delta(piece)),
    form.lastDelta(finishReason(output)),
  ];
  return [
    ...choices.map((choice) => ({ json: { ...head, choices: [choice] } })),
    ...(tellsUsage(behaviour, request)
      ? [{ json: { ...head, choices: [], usage: usageOf(output) } }]
      : []),
    ...(behaviour.done === false ? [] : [{ data: '[DONE]' }]),
  ];
}

function tellsUsage(behaviour: Complete, request: EngineRequest): boolean {
  const when = behaviour.streamUsage ?? (behaviour.usage ? 'always' : 'asked');
  return when === 'always' || (when === 'asked' && wantsStreamUsage(request));
}

function finishReason(output: Output): string {
  return output.finishReason ?? (output.cut ? 'length' : 'stop');
}

function usageOf({ usage }: Output) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
