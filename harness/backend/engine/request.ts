/** Reads a request to an engine: its body, the marker with which it names its script, its route and its parameters. */

import type { IncomingMessage } from 'node:http';

/** A body, perhaps incomplete. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** False if the client left before its end. */
  readonly whole: boolean;
  /** Number of all received bytes, including those that are not kept. */
  readonly length: number;
}

/** Reads a body to its end and keeps at most `limit` bytes. Never rejects, not even if the body ends early. */
export async function receiveBody(request: IncomingMessage, limit: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      if (length < limit) chunks.push(chunk.subarray(0, limit - length));
      length += chunk.length;
    });
    const done = () => resolve({ bytes: Buffer.concat(chunks), whole: request.complete, length });
    request.on('end', done);
    request.on('close', done);
    request.on('error', done);
  });
}

const opening = '[[plumbline:';
const closing = ']]';
const longestId = 64;

/** The marker of a script, for any place in the text of a request. */
export function markerOf(id: string): string {
  return `${opening}${id}${closing}`;
}

/** The first known script in a raw body, which agents may have rewritten or which may be malformed JSON. */
export function findScript(body: Buffer, isKnown: (id: string) => boolean): string | null {
  let from = body.indexOf(opening);
  while (from !== -1) {
    const start = from + opening.length;
    const rest = body.toString('latin1', start, start + longestId + closing.length);
    const end = rest.indexOf(closing);
    if (end !== -1 && isKnown(rest.slice(0, end))) return rest.slice(0, end);
    from = body.indexOf(opening, start);
  }
  return null;
}

/** The routes of an engine, including those for agents, and `other` for everything unknown. */
export type RouteName =
  | 'chat'
  | 'messages'
  | 'countTokens'
  | 'embeddings'
  | 'rerank'
  | 'health'
  | 'models'
  | 'metrics'
  | 'tokenize'
  | 'other';

const inference: ReadonlyMap<string, RouteName> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/messages', 'messages'],
  ['/v1/messages/count_tokens', 'countTokens'],
  ['/v1/embeddings', 'embeddings'],
  ['/v1/rerank', 'rerank'],
  ['/rerank', 'rerank'],
]);

const agent: ReadonlyMap<string, RouteName> = new Map([
  ['/health', 'health'],
  ['/v1/models', 'models'],
  ['/metrics', 'metrics'],
]);

/** The route that counts the tokens of a prompt; a router may call it before it routes the request. */
const TOKENIZER = '/tokenize';

/** The route of a request. Inference routes may have any prefix, as in a provider's base URL; anything else is `other`. */
export function routeOf(method: string, target: string): RouteName {
  const path = target.split('?', 1)[0] ?? '';
  if (method === 'POST') {
    if (path.endsWith(TOKENIZER)) return 'tokenize';
    return inference.get(path) ?? inference.get(withoutPrefix(path)) ?? 'other';
  }
  if (method !== 'GET' && method !== 'HEAD') return 'other';
  return agent.get(path) ?? (path.startsWith('/v1/models/') ? 'models' : 'other');
}

function withoutPrefix(path: string): string {
  const version = path.lastIndexOf('/v1/');
  return version === -1 ? path : path.slice(version);
}

export interface EngineRequest {
  readonly route: RouteName;
  /** The body if it is a JSON object, else null. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly bodyLength: number;
}

export function readRequest(route: RouteName, body: Buffer): EngineRequest {
  return { route, json: parsed(body), bodyLength: body.length };
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function modelOf(request: EngineRequest): string {
  const model = request.json?.['model'];
  return typeof model === 'string' ? model : 'scripted-chat';
}

export function wantsStream(request: EngineRequest): boolean {
  return request.json?.['stream'] === true;
}

export function wantsStreamUsage(request: EngineRequest): boolean {
  const options = request.json?.['stream_options'];
  return isObject(options) && options['include_usage'] === true;
}

/** The requested maximum output in tokens (default `Infinity`). */
export function maximumOutput(request: EngineRequest): number {
  const maximum = request.json?.['max_completion_tokens'] ?? request.json?.['max_tokens'];
  return typeof maximum === 'number' && maximum >= 0 ? maximum : Number.POSITIVE_INFINITY;
}
