/** What a request says: its body, its model, how much it asks for. */

import type { RouterChoices } from '../choices.ts';
import type { RequestBody, RequestContext } from '../context.ts';
import type { ModelEntry } from '../deployment.ts';
import { RouterFailure } from '../failure.ts';

/** Longest model id (limits/model-id-length). */
const MODEL_ID_LENGTH = 256;

export function requestRules(choices: RouterChoices) {
  return {
    /** Whether a body of so many bytes may come in; a limit of 0 lets all in (limits/body-size). */
    fits(bytes: number, limit: number, _context: RequestContext): boolean {
      return limit === 0 || bytes <= limit;
    },

    /** The body as a JSON object. @throws RouterFailure request_invalid */
    parse(bytes: Uint8Array, _context: RequestContext): RequestBody {
      if (bytes.length === 0) throw invalid('the request body is empty');
      const json = readJson(bytes);
      if (typeof json !== 'object' || json === null || Array.isArray(json))
        throw invalid('the request body must be a JSON object');
      return { ...json };
    },

    /** What a request was answered before, where a router remembers it: open, and here nothing. */
    remembered(_bytes: Uint8Array, _context: RequestContext): Buffer | undefined {
      return undefined;
    },

    /** The model that a request names. @throws RouterFailure request_invalid */
    requireModel(body: RequestBody, _context: RequestContext): string {
      const model = body['model'];
      if (typeof model !== 'string') throw invalid('`model` is required and must be a string');
      if (model === '' && choices.emptyModelIs === 'missing') throw invalid('`model` is empty');
      const length =
        choices.modelLengthCounts === 'utf-16' ? model.length : Array.from(model).length;
      if (length > MODEL_ID_LENGTH)
        throw invalid(`\`model\` is longer than ${MODEL_ID_LENGTH} characters`);
      return model;
    },

    /** The registered model with exactly this id (codes/model_not_found). */
    findModel(
      models: readonly ModelEntry[],
      id: string,
      _context: RequestContext,
    ): ModelEntry | undefined {
      return models.find((model) => model.id === id);
    },

    /** Whether the client asked for a stream. */
    wantsStream(body: RequestBody, _context: RequestContext): boolean {
      return body['stream'] === true;
    },

    /** Input tokens of a request, as far as a router can tell them without a tokenizer. */
    estimateInput(body: RequestBody, _context: RequestContext): number {
      const { characters, images } = measure(body);
      return (
        Math.max(1, Math.ceil(characters / choices.charactersPerToken)) +
        images * choices.tokensPerImage
      );
    },

    /** Largest output that a request asks for; undefined when it names no usable maximum. */
    requestedOutput(body: RequestBody, _context: RequestContext): number | undefined {
      const named = [body['max_tokens'], body['max_completion_tokens']].filter(
        (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
      );
      return named.length === 0 ? undefined : Math.max(...named.map(Number));
    },

    /** How many images a request carries. */
    countImages(body: RequestBody, _context: RequestContext): number {
      return measure(body).images;
    },
  };
}

function invalid(message: string): RouterFailure {
  return new RouterFailure('request_invalid', message);
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('the request body is not valid JSON');
  }
}

/** Members that hold what a model reads. */
const INPUT_MEMBERS = [
  'messages',
  'system',
  'input',
  'prompt',
  'query',
  'documents',
  'tools',
] as const;
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'image', 'input_image']);

/** Text and images of a body. Walks with a list of its own: bodies may be nested deeper than the stack. */
function measure(body: RequestBody): { characters: number; images: number } {
  const found = { characters: 0, images: 0 };
  const open: unknown[] = INPUT_MEMBERS.map((member) => body[member]);
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value === 'string') found.characters += value.length;
    else if (typeof value === 'number') found.characters += 4;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null) {
      const members = new Map<string, unknown>(Object.entries(value));
      if (IMAGE_TYPES.has(members.get('type'))) found.images += 1;
      else for (const member of members.values()) open.push(member);
    }
  }
  return found;
}
