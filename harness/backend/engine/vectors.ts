/** Answers of the routes without text output: embeddings and rerank. */

import type { Output } from './output.ts';
import type { EngineRequest } from './request.ts';

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
