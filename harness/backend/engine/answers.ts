/** What an engine says: chat completions, messages, embeddings and ranks. */

import type { Complete, StreamEvent, Usage } from '../behaviour.ts';
import { type EngineRequest, maximumOutput, modelOf, wantsStreamUsage } from './request.ts';

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

const usualDimensions = 8;
const mostDimensions = 4096;

/** `POST /v1/embeddings`: a vector per input, the same for the same input. */
export function embeddingAnswer(output: Output, request: EngineRequest) {
  const input = request.json?.['input'];
  const wanted = request.json?.['dimensions'];
  const dimensions =
    typeof wanted === 'number' && Number.isInteger(wanted) && wanted > 0 && wanted <= mostDimensions
      ? wanted
      : usualDimensions;
  const asBase64 = request.json?.['encoding_format'] === 'base64';
  return {
    object: 'list',
    model: output.model,
    data: inputsOf(input).map((text, index) => {
      const vector = vectorOf(JSON.stringify(text) ?? '', dimensions);
      return { object: 'embedding', index, embedding: asBase64 ? base64Of(vector) : vector };
    }),
    usage: { prompt_tokens: output.usage.inputTokens, total_tokens: output.usage.inputTokens },
  };
}

/** A text, a list of texts, a list of token numbers, or a list of those lists. */
function inputsOf(input: unknown): readonly unknown[] {
  if (!Array.isArray(input)) return [input];
  return input.every((item) => typeof item === 'number') ? [input] : input;
}

function vectorOf(text: string, dimensions: number): number[] {
  let state = 17;
  for (let i = 0; i < text.length; i += 1) state = (state * 31 + text.charCodeAt(i)) % 1_000_003;
  return Array.from({ length: dimensions }, (_, i) => (((state + 1) * (i + 7)) % 2001) / 1000 - 1);
}

/** Little-endian 32-bit floats, as OpenAI sends them. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => bytes.writeFloatLE(value, i * 4));
  return bytes.toString('base64');
}

/** `POST /v1/rerank`: the documents in the order in which they came, with falling scores. */
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

function typed(json: { readonly type: string } & Readonly<Record<string, Json>>): StreamEvent {
  return { event: json.type, json };
}

function stopReason(output: Output): string {
  return output.finishReason ?? (output.cut ? 'max_tokens' : 'end_turn');
}
