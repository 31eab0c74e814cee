/** Reads requests: the route, the caller, the model and the input. */

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RouterChoices } from '../choices.ts';
import type { Reply } from '../../http.ts';
import {
  type KeyEntry,
  type ModelEntry,
  type RequestBody,
  type RequestContext,
  type Route,
  RouterFailure,
} from '../model.ts';

const routes: readonly Route[] = [
  { method: 'GET', path: '/v1/models', family: 'models' },
  { method: 'GET', path: '/v1/models/', family: 'model' },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    family: 'native',
    capability: 'chat',
    generates: true,
  },
  { method: 'POST', path: '/v1/messages', family: 'proxy', capability: 'chat', generates: true },
  { method: 'POST', path: '/v1/messages/count_tokens', family: 'proxy', capability: 'chat' },
  { method: 'POST', path: '/v1/embeddings', family: 'proxy', capability: 'embeddings' },
  { method: 'POST', path: '/v1/rerank', family: 'proxy', capability: 'rerank' },
  { method: 'GET', path: '/admin/health', family: 'admin' },
  { method: 'GET', path: '/admin/routing-table', family: 'admin' },
];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function identityRules(choices: RouterChoices) {
  return {
    /** The route of a path, for any method (endpoints). */
    routeAt(path: string): Route | undefined {
      return routes.find((route) =>
        route.family === 'model'
          ? path.startsWith(route.path) && path.length > route.path.length
          : route.path === path,
      );
    },

    /** A response before any other step. A conforming router has none. */
    shortcut(_context: RequestContext): Reply | undefined | Promise<Reply | undefined> {
      return undefined;
    },

    /** The id of a request: a new one, or the client's if the deployment keeps UUIDs. */
    requestId(headers: IncomingHttpHeaders): string {
      const sent = headers['x-request-id'];
      return choices.requestId === 'echo' && typeof sent === 'string' && UUID.test(sent)
        ? sent
        : randomUUID();
    },

    /** The trace context of a response. Undefined without a span. */
    traceparent(headers: IncomingHttpHeaders): string | undefined {
      if (choices.traceparent === 'never') return undefined;
      const sent = headers['traceparent'];
      const trace = typeof sent === 'string' ? TRACEPARENT.exec(sent)?.[1] : undefined;
      if (choices.traceparent === 'continue' && trace === undefined) return undefined;
      const [own, span] = [randomUUID(), randomUUID()].map((id) => id.replaceAll('-', ''));
      return `00-${trace ?? own}-${span?.slice(-16)}-01`;
    },

    /** The token of a bearer credential. `x-api-key` is never read (authentication/1). */
    credential(headers: IncomingHttpHeaders, _context: RequestContext): string | undefined {
      const bearer = choices.schemeCase === 'any' ? /^bearer +(.+)$/i : /^Bearer (.+)$/;
      return bearer.exec(headers.authorization ?? '')?.[1];
    },

    /** Whether a token is this key, unhashed. */
    matches(token: string, key: KeyEntry, _context: RequestContext): boolean {
      return token === key.secret;
    },

    /** Whether a key is valid now (authentication/3). */
    accepted(key: KeyEntry, now: number, _context: RequestContext): boolean {
      return key.state === 'active' && (key.expiresAt === undefined || now < key.expiresAt);
    },

    /** Whether a key has the role that a route requires (authentication/2). */
    opens(key: KeyEntry, role: KeyEntry['role'], _context: RequestContext): boolean {
      return key.role === role;
    },

    /** The challenge of a 401 (authentication/5). */
    challenge(_context: RequestContext): string | undefined {
      return `Bearer realm="${choices.realm}"`;
    },

    /** Whether a key may use a model (authentication/4). */
    mayUse(key: KeyEntry, model: string, _context: RequestContext): boolean {
      return key.allows === undefined || key.allows.includes(model);
    },

    /** Whether a key sees a model in the list and by its id (endpoints/get-model). */
    sees(key: KeyEntry, model: ModelEntry, _context: RequestContext): boolean {
      if (model.hiddenFrom?.includes(key.name)) return false;
      return !choices.listFollowsAllowlist || key.allows === undefined
        ? true
        : key.allows.includes(model.id);
    },
  };
}

/** Maximum length of a model id (limits/model-id-length). */
const MODEL_ID_LENGTH = 256;

export function requestRules(choices: RouterChoices) {
  return {
    /** Whether a body is small enough. A limit of 0 allows any size (limits/body-size). */
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

    /** The remembered response to the same request. Caching is open in the contract; this router has no cache. */
    remembered(_bytes: Uint8Array, _context: RequestContext): Buffer | undefined {
      return undefined;
    },

    /** The model id of a request. @throws RouterFailure request_invalid */
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

    /** Input tokens of a request, estimated without a tokenizer. */
    estimateInput(body: RequestBody, _context: RequestContext): number {
      const { characters, images } = measure(body);
      return (
        Math.max(1, Math.ceil(characters / choices.charactersPerToken)) +
        images * choices.tokensPerImage
      );
    },

    /** Largest requested output. Undefined if the request has no valid maximum. */
    requestedOutput(body: RequestBody, _context: RequestContext): number | undefined {
      const named = [body['max_tokens'], body['max_completion_tokens']].filter(
        (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
      );
      return named.length === 0 ? undefined : Math.max(...named.map(Number));
    },

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

/** Members of a body that the model reads. */
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

/** Counts text and images of a body. It is iterative, since bodies may be nested deeper than the call stack allows. */
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
