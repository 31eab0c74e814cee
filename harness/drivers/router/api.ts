/** The routes of the router contract, as calls that are recorded for one case. */

import { markerOf } from '../../backend/body.ts';
import type { HttpClient, OnExchange } from '../../exchange/client.ts';
import type { HeaderContent, Outgoing } from '../../exchange/outgoing.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ServingWatch } from './serving-watch.ts';

/** Inference routes, by the short names that suites use. */
export const inferencePaths = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  countTokens: '/v1/messages/count_tokens',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
} as const;

export type InferenceRoute = keyof typeof inferencePaths;

/** Whether a request went to the messages route, for which limits that count tokens are implied alone. */
export function isOnMessages({ request }: Pick<Exchange, 'request'>): boolean {
  return request.path === inferencePaths.messages;
}

/** How a call differs from the plain one. */
export interface CallOptions {
  /** Name of the key; `client` unless told, `null` for none. */
  readonly as?: string | null;
  readonly headers?: readonly (readonly [string, HeaderContent])[];
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onHead?: Outgoing['onHead'];
  readonly onChunk?: Outgoing['onChunk'];
  /** Leaves the concurrency limit out; for tests that hold many requests open at once. */
  readonly unbounded?: boolean;
  /** Goes before the requests of other cases: for limits that fill in again while they are used up. */
  readonly urgent?: boolean;
  /** False: take the first answer, also a rate limit of the general client key. */
  readonly repeat?: boolean;
  readonly untraced?: boolean;
}

/** What is asked of a model. */
export interface InferenceOptions extends CallOptions {
  /** The user's text; a plain greeting unless told. */
  readonly text?: string;
  /** Id of the script that decides what the engine does. */
  readonly script?: string | undefined;
  readonly stream?: boolean;
  readonly maxTokens?: number;
  readonly maxCompletionTokens?: number;
  /** How many images the user's message carries (chat and messages). */
  readonly images?: number;
  /** Asks also a plain model that serves nobody any more. */
  readonly inAnyCase?: boolean;
  /** Further members of the body; they win over all others, `undefined` takes a member out. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The same, and over which route: chat unless told. */
export interface RoutedOptions extends InferenceOptions {
  readonly route?: InferenceRoute;
}

/** The script that a request body names, if it names one. */
export function markedScript(body: Uint8Array): string | undefined {
  return /\[\[plumbline:([^\]]+)\]\]/u.exec(Buffer.from(body).toString('latin1'))?.[1];
}

/** A transparent pixel: the smallest image that an engine could be given. */
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
    watch = new ServingWatch([]),
  ) {
    this.#httpClient = httpClient;
    this.#onExchange = onExchange;
    this.#requireKey = requireKey;
    this.#watch = watch;
  }

  /** Asks a model over one of the inference routes, with the smallest body that the route takes. */
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

  /** Posts any JSON value to any path. */
  async post(path: string, json: unknown, options: CallOptions = {}): Promise<Exchange> {
    return this.send({ method: 'POST', path, json, ...call(options) });
  }

  /** Posts bytes or text as they are, labelled JSON unless the headers say otherwise. */
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

  /** Anything else, recorded like the rest. */
  async send(outgoing: Outgoing): Promise<Exchange> {
    if (outgoing.as !== null) this.#requireKey(outgoing.as);
    return this.#httpClient.send(outgoing, this.#onExchange);
  }

  /** Bytes as they are, for what an HTTP client refuses to send. */
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

/** Plain text, or parts with so many images. */
function userMessage(text: string, images: number, image: object): object {
  if (images === 0) return { role: 'user', content: text };
  const content = [{ type: 'text', text }, ...Array.from({ length: images }, () => image)];
  return { role: 'user', content };
}
