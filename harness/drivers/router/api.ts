/** The routes of the router contract, as calls that are recorded for one case. */

import { markerOf } from '../../backend/engine/request.ts';
import type { HttpClient, OnExchange } from '../../exchange/client.ts';
import type { HeaderContent, Outgoing } from '../../exchange/outgoing.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ServingWatch } from './serving-watch.ts';

/** Inference routes by the short names that suites use. */
export const inferencePaths = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  countTokens: '/v1/messages/count_tokens',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
} as const;

export type InferenceRoute = keyof typeof inferencePaths;

/** Whether a request used the messages route, for which limits that count tokens are only implied. */
export function isOnMessages({ request }: Pick<Exchange, 'request'>): boolean {
  return request.path === inferencePaths.messages;
}

/** How a call differs from the default one. */
export interface CallOptions {
  /** Name of the key (default `client`); `null` sends none. */
  readonly as?: string | null;
  readonly headers?: readonly (readonly [string, HeaderContent])[];
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onHead?: Outgoing['onHead'];
  readonly onChunk?: Outgoing['onChunk'];
  /** Exempt from the concurrency limit, for cases that hold many requests open at once. */
  readonly unbounded?: boolean;
  /** Sent before requests of other cases, for limits that refill while they are used up. */
  readonly urgent?: boolean;
  /** False takes the first response, even a rate limit of the general client key. */
  readonly repeat?: boolean;
  readonly untraced?: boolean;
}

/** A request to a model. */
export interface InferenceOptions extends CallOptions {
  /** The user's text (default a plain greeting). */
  readonly text?: string;
  /** Id of the script that the engine follows. */
  readonly script?: string | undefined;
  readonly stream?: boolean;
  readonly maxTokens?: number;
  readonly maxCompletionTokens?: number;
  /** Number of images in the user's message (chat and messages). */
  readonly images?: number;
  /** Carries much that the plain request does not: a system text, earlier turns, tools, and the newer maximum on chat. */
  readonly laden?: boolean;
  /** Sends even to a plain model that no longer serves. */
  readonly inAnyCase?: boolean;
  /** Further members of the body. They override all others, and `undefined` removes a member. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The same for a route (default chat). */
export interface RoutedOptions extends InferenceOptions {
  readonly route?: InferenceRoute;
}

/** The script that a request body names, if any. */
export function markedScript(body: Uint8Array): string | undefined {
  return /\[\[plumbline:([^\]]+)\]\]/u.exec(Buffer.from(body).toString('latin1'))?.[1];
}

/** A transparent pixel: the smallest image for an engine. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export class RouterApi {
  readonly #httpClient: HttpClient;
  readonly #onExchange: OnExchange;
  readonly #requireKey: (name: string) => unknown;
  readonly #watch: ServingWatch;

  /** `requireKey` throws `NotExercised` for a key that the target file does not have. */
  constructor(
    httpClient: HttpClient,
    onExchange: OnExchange,
    requireKey: (name: string) => unknown,
    watch = new ServingWatch([], { signal: new AbortController().signal }),
  ) {
    this.#httpClient = httpClient;
    this.#onExchange = onExchange;
    this.#requireKey = requireKey;
    this.#watch = watch;
  }

  /** Sends to a model on an inference route, with the smallest body that the route takes. */
  async infer(
    route: InferenceRoute,
    model: string,
    options: InferenceOptions = {},
  ): Promise<Exchange> {
    const ask = async () =>
      this.post(inferencePaths[route], inferenceBody(route, model, options), options);
    return options.inAnyCase === true ? ask() : this.#watch.send(model, ask);
  }

  /** `POST /v1/chat/completions` */
  async chat(model: string, options: InferenceOptions = {}): Promise<Exchange> {
    return this.infer('chat', model, options);
  }

  async post(path: string, json: unknown, options: CallOptions = {}): Promise<Exchange> {
    return this.send({ method: 'POST', path, json, ...call(options) });
  }

  /** Posts bytes or text unchanged, labelled JSON unless the headers say otherwise. */
  async postRaw(
    path: string,
    body: string | Uint8Array,
    options: CallOptions = {},
  ): Promise<Exchange> {
    return this.send({ method: 'POST', path, body, ...call(options) });
  }

  /** `GET /v1/models` */
  async models(options: CallOptions = {}): Promise<Exchange> {
    return this.get('/v1/models', options);
  }

  /** `GET /v1/models/{model}`; the id is escaped. */
  async model(id: string, options: CallOptions = {}): Promise<Exchange> {
    return this.get(`/v1/models/${encodeURIComponent(id)}`, options);
  }

  async get(path: string, options: CallOptions = {}): Promise<Exchange> {
    return this.send({ method: 'GET', path, ...call(options) });
  }

  /** Any other request, recorded like the rest. */
  async send(outgoing: Outgoing): Promise<Exchange> {
    if (outgoing.as !== null) this.#requireKey(outgoing.as);
    return this.#httpClient.send(outgoing, this.#onExchange);
  }

  /** Sends raw bytes, for requests that an HTTP client refuses to send. */
  async sendBytes(outgoing: Parameters<HttpClient['sendBytes']>[0]): Promise<Exchange> {
    if (outgoing.as !== null) this.#requireKey(outgoing.as);
    return this.#httpClient.sendBytes(outgoing, this.#onExchange);
  }
}

function call(options: CallOptions) {
  const { as = 'client', headers, signal, timeoutMs, onHead, onChunk } = options;
  const { unbounded, urgent, repeat, untraced } = options;
  return { as, headers, signal, timeoutMs, onHead, onChunk, unbounded, urgent, repeat, untraced };
}

/** The smallest body that a route takes, with the options applied. */
export function inferenceBody(
  route: InferenceRoute,
  model: string,
  options: InferenceOptions = {},
): Readonly<Record<string, unknown>> {
  const text = [
    options.text ?? 'Say hello.',
    ...(options.script ? [markerOf(options.script)] : []),
  ].join(' ');
  const shared = {
    model,
    ...(options.stream === undefined ? {} : { stream: options.stream }),
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
    ...(options.maxCompletionTokens === undefined
      ? {}
      : { max_completion_tokens: options.maxCompletionTokens }),
  };
  const body = {
    ...shared,
    ...bodyOf[route](text, options.images ?? 0, options),
    ...(options.laden === true ? loaded(route, text, options.maxTokens) : {}),
    ...options.extra,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

const bodyOf: Readonly<
  Record<
    InferenceRoute,
    (text: string, images: number, options: InferenceOptions) => Readonly<Record<string, unknown>>
  >
> = {
  chat: (text, images) => ({
    messages: [
      userMessage(text, images, {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${PIXEL}` },
      }),
    ],
  }),
  messages: (text, images, options) => ({
    max_tokens: options.maxTokens ?? 16,
    messages: [
      userMessage(text, images, {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: PIXEL },
      }),
    ],
  }),
  countTokens: (text) => ({ messages: [{ role: 'user', content: text }] }),
  embeddings: (text) => ({ input: text }),
  rerank: (text) => ({ query: text, documents: ['one document', 'another document'] }),
};

const LOOKUP = { description: 'Looks up a word in the dictionary of this test. '.repeat(8) };
const PARAMETERS = { type: 'object', properties: { word: { type: 'string' } } };
/** Bytes of system text: longer than many a plain request, and far within any context window. */
const SYSTEM = 'You are brief and polite. '.repeat(60);

/** The members of a laden request, in the dialect of its route. */
function loaded(route: InferenceRoute, text: string, maximum: number | undefined): object {
  const turns = [
    { role: 'user', content: 'Good morning.' },
    { role: 'assistant', content: 'Good morning to you.' },
    { role: 'user', content: text },
  ];
  const lookup = { name: 'look_up', ...LOOKUP };
  if (route === 'messages') {
    return {
      system: SYSTEM,
      messages: turns,
      tools: [{ ...lookup, input_schema: PARAMETERS }],
      tool_choice: { type: 'auto' },
    };
  }
  if (route !== 'chat') return {};
  return {
    messages: [{ role: 'system', content: SYSTEM }, ...turns],
    tools: [{ type: 'function', function: { ...lookup, parameters: PARAMETERS } }],
    tool_choice: 'auto',
    max_tokens: undefined,
    max_completion_tokens: maximum ?? 16,
  };
}

function userMessage(text: string, images: number, image: object): object {
  if (images === 0) return { role: 'user', content: text };
  const content = [{ type: 'text', text }, ...Array.from({ length: images }, () => image)];
  return { role: 'user', content };
}
