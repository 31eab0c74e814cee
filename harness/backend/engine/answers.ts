/** The response bodies of an engine: chat completions, messages, embeddings and ranks. */

import type { Complete, StreamEvent, Usage } from '../behaviour.ts';
import { type EngineRequest, maximumOutput, modelOf, wantsStreamUsage } from './request.ts';

export interface Output {
  readonly model: string;
  readonly pieces: readonly string[];
  readonly usage: Usage;
  /** True if the requested maximum output cut the text. */
  readonly cut: boolean;
}

const greeting = 'Hello from the scripted backend.';

/** Counts one token per output word and per four bytes of input. Text from the script is never cut. */
export function outputOf(behaviour: Complete, request: EngineRequest): Output {
  const chosen = behaviour.text !== undefined;
  const all =
    typeof behaviour.text === 'object' ? behaviour.text : wordsOf(behaviour.text ?? greeting);
  const pieces = chosen ? all : all.slice(0, maximumOutput(request));
  return {
    model: modelOf(request),
    pieces,
    usage: behaviour.usage ?? {
      inputTokens: Math.max(1, Math.ceil(request.bodyLength / 4)),
      outputTokens: pieces.length,
    },
    cut: pieces.length < all.length,
  };
}

/** Each word with the space before it. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? [''];
}

const DIMENSIONS = 8;

/** `POST /v1/embeddings`: one vector per input; equal inputs get equal vectors. */
export function embeddingAnswer(output: Output, request: EngineRequest) {
  const { inputTokens } = output.usage;
  return {
    object: 'list',
    model: output.model,
    data: inputsOf(request.json?.['input']).map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(JSON.stringify(text) ?? ''),
    })),
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  };
}

/** The inputs: the request has a text, a list of texts, a list of token numbers, or a list of such lists. */
function inputsOf(input: unknown): readonly unknown[] {
  if (!Array.isArray(input)) return [input];
  return input.every((item) => typeof item === 'number') ? [input] : input;
}

function vectorOf(text: string): number[] {
  let state = 17;
  for (let i = 0; i < text.length; i += 1) state = (state * 31 + text.charCodeAt(i)) % 1_000_003;
  return Array.from({ length: DIMENSIONS }, (_, i) => (((state + 1) * (i + 7)) % 2001) / 1000 - 1);
}

/** `POST /v1/rerank`: the documents in their given order, with falling scores. */
export function rerankAnswer(output: Output, request: EngineRequest, id: string) {
  const documents = request.json?.['documents'];
  const top = request.json?.['top_n'];
  const list = Array.isArray(documents) ? documents : [];
  return {
    id: `rerank-${id}`,
    model: output.model,
    usage: { total_tokens: output.usage.inputTokens },
    results: list
      .slice(0, typeof top === 'number' ? top : list.length)
      .map((_, index) => ({ index, relevance_score: 1 / (index + 1) })),
  };
}

type Json = Extract<StreamEvent, { json: unknown }>['json'];

/** `POST /v1/chat/completions` */
export function chatAnswer(output: Output, id: string): Json {
  const message = { role: 'assistant', content: output.pieces.join('') };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(output) };
  return { ...headOf('chat.completion', output, id), choices: [choice], usage: usageOf(output) };
}

/** A chat completion as a stream; a separate last chunk has the usage if the request or the script asks for it. */
export function chatStream(
  output: Output,
  id: string,
  behaviour: Complete,
  request: EngineRequest,
): readonly StreamEvent[] {
  const head = headOf('chat.completion.chunk', output, id);
  const chunk = (delta: Json, reason: string | null = null): StreamEvent => ({
    json: { ...head, choices: [{ index: 0, delta, finish_reason: reason }] },
  });
  const showsUsage = behaviour.usage !== undefined || wantsStreamUsage(request);
  return [
    chunk({ role: 'assistant', content: '' }),
    ...output.pieces.map((content) => chunk({ content })),
    chunk({}, finishReason(output)),
    ...(showsUsage ? [{ json: { ...head, choices: [], usage: usageOf(output) } }] : []),
    ...(behaviour.done === false ? [] : [{ data: '[DONE]' }]),
  ];
}

function headOf(object: string, { model }: Output, id: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(Date.now() / 1000), model };
}

function finishReason({ cut }: Output): string {
  return cut ? 'length' : 'stop';
}

function usageOf({ usage }: Output) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

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

/** A message as a stream; its last events carry the usage and the end. */
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

function typed(json: { readonly type: string } & Readonly<Record<string, Json>>): StreamEvent {
  return { event: json.type, json };
}

function stopReason(output: Output): string {
  return output.cut ? 'max_tokens' : 'end_turn';
}
