/** Agents: they send requests to an engine and read its responses. */

import {
  type Agent as HttpAgent,
  Agent as Pool,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as start,
} from 'node:http';
import type { HeaderLine } from '../http.ts';
import {
  type AgentEntry,
  type Dispatch,
  type EngineError,
  LinkLost,
  type RequestContext,
} from './model.ts';
import type { RouterRules } from './rules/rules.ts';

/** A loopback address that refuses connections. Port 1 is reserved, so no other program can be listening there. */
export const CLOSED_PORT = 'http://127.0.0.1:1';

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /** Connection pool. Without one, each call opens its own connection. */
  readonly pool?: HttpAgent;
  /** Receives the request once it is sent, so that the caller can abort it. */
  readonly onSent?: (request: ClientRequest) => void;
}

/** Sends a request and resolves with the head of the response. @throws the error of the connection or of `signal` */
export async function ask(url: string, call: Call): Promise<IncomingMessage> {
  const { method = 'POST', headers = {}, body, signal, pool, onSent } = call;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const outgoing = start(url, {
      method,
      headers: { ...headers, ...length },
      agent: pool ?? false,
      signal,
    });
    onSent?.(outgoing);
    outgoing.once('response', resolve);
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    outgoing.end(body);
  });
}

/** The body of a message, or its first `most` pieces. @throws if the connection is lost before, unless `halfWillDo` */
export async function bodyOf(
  message: IncomingMessage,
  halfWillDo = false,
  most = Infinity,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of message) if (pieces.push(Buffer.from(piece)) >= most) break;
  } catch (error) {
    if (!halfWillDo) throw error;
  }
  return Buffer.concat(pieces);
}

/** The body of an error, empty if it was lost on the way. @throws the reason of the signal, whose deadline bounds it */
export async function errorBodyOf(
  message: IncomingMessage,
  rules: Pick<RouterRules, 'endOfErrorBody' | 'errorPieces'>,
  context: RequestContext,
  signal: AbortSignal,
): Promise<Buffer> {
  const body = bodyOf(message, false, rules.errorPieces(context)).catch(() => Buffer.alloc(0));
  return Promise.race([body, aborted(rules.endOfErrorBody(signal))]);
}

/** One promise for each signal, however many tries of a request wait for it. */
const ends = new WeakMap<AbortSignal, Promise<never>>();

/** Rejects with the reason of the signal once it is aborted. */
export async function aborted(signal: AbortSignal): Promise<never> {
  const known = ends.get(signal);
  if (known !== undefined) return known;
  const end = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  end.catch(() => undefined);
  ends.set(signal, end);
  return end;
}

interface WholeDelivery {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

export interface StreamDelivery {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** The pieces as received, the first one already read. @throws when the engine is lost */
  readonly pieces: AsyncIterable<Buffer>;
}

export type Delivery = WholeDelivery | StreamDelivery;

/** Reads a success. A stream has begun with its first byte. @throws if the connection is lost before that */
export async function receive(
  message: IncomingMessage,
  rules: Pick<RouterRules, 'waitsForFirstByte' | 'keepsHalfBodies'>,
  context: RequestContext,
): Promise<Delivery> {
  context.engineHeaders = message.headers;
  const status = message.statusCode ?? 200;
  const headers = describing(message);
  if (!/^text\/event-stream\b/i.test(message.headers['content-type'] ?? '')) {
    const body = await bodyOf(message, rules.keepsHalfBodies(context));
    return { kind: 'whole', status, headers, body };
  }
  if (!rules.waitsForFirstByte(context))
    return { kind: 'stream', status, headers, pieces: message };
  const iterator: AsyncIterator<Buffer> = message[Symbol.asyncIterator]();
  const first = await iterator.next();
  return { kind: 'stream', status, headers, pieces: continued(first, iterator) };
}

/** The headers that a client needs to read the body. */
function describing(message: IncomingMessage): readonly HeaderLine[] {
  return ['Content-Type', 'Content-Encoding'].flatMap((name) => {
    const value = message.headers[name.toLowerCase()];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
}

async function* continued(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Stores the engine's error on the request context, for later decisions. */
export function noted(
  rules: RouterRules,
  answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly bytes: Buffer;
  },
  context: RequestContext,
): EngineError {
  const error = { ...answer, json: rules.errorJson(answer.bytes, answer.headers, context) };
  context.engineError = error;
  return error;
}

/** Errors of this route are classified. Those of the proxy routes are forwarded. */
const CLASSIFIED_PATH = '/v1/chat/completions';

function classify(
  rules: RouterRules,
  { status, bytes, json }: EngineError,
  context: RequestContext,
): { code: string; message: string } {
  const named = rules.messageIn(json, context);
  const speaks = rules.speaksOfContext(named ?? bytes.toString('utf8'), context);
  return {
    code: rules.codeOf(rules.knownType(json, context), status, speaks, context),
    message: named ?? rules.truncate(bytes, context),
  };
}

/**
 * The outcome of a request:
 * - `answered`: the engine's success, unchanged;
 * - `forwarded`: the engine's error, unchanged;
 * - `failed`: a code and a message from the agent.
 */
export type AgentAnswer =
  | { readonly outcome: 'answered' | 'forwarded'; readonly message: IncomingMessage }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string };

export class Agent {
  readonly #entry: AgentEntry;
  readonly #rules: RouterRules;
  /** Connections to the engine. The engine never closes an idle connection, so every close is deliberate. */
  readonly #pool = new Pool({ keepAlive: true });
  readonly #underWay = new Set<ClientRequest>();
  #runs = false;

  constructor(entry: AgentEntry, rules: RouterRules) {
    this.#entry = entry;
    this.#rules = rules;
  }

  start(): void {
    this.#runs = true;
  }

  /** Stops the agent and destroys every request in progress. */
  stop(): void {
    this.#runs = false;
    for (const request of this.#underWay) request.destroy(this.#lost());
    this.#pool.destroy();
  }

  /** @throws LinkLost if the agent is gone, or the reason of the signal */
  async answer(
    { path, headers, body, signal }: Dispatch,
    context: RequestContext,
  ): Promise<AgentAnswer> {
    let engine: IncomingMessage;
    try {
      engine = await this.#askEngine(path, { headers: kept(headers), body, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LinkLost) throw error;
      const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      const code = this.#rules.lostCode(refused, context);
      return { outcome: 'failed', code, message: 'the engine is unavailable' };
    }
    const status = engine.statusCode ?? 502;
    if (this.#rules.isSuccess(status, context)) return { outcome: 'answered', message: engine };
    if (path !== CLASSIFIED_PATH) return { outcome: 'forwarded', message: engine };
    const bytes = await errorBodyOf(engine, this.#rules, context, signal);
    const said = noted(this.#rules, { status, headers: engine.headers, bytes }, context);
    return { outcome: 'failed', ...classify(this.#rules, said, context) };
  }

  /** The metrics of the engine as text. @throws LinkLost if the agent is gone, or the error of the connection */
  async metrics(signal: AbortSignal): Promise<string> {
    const engine = await this.#askEngine('/metrics', { method: 'GET', signal });
    return (await bodyOf(engine)).toString('utf8');
  }

  async #askEngine(
    path: string,
    call: Omit<Parameters<typeof ask>[1], 'pool' | 'onSent'>,
  ): Promise<IncomingMessage> {
    if (!this.#runs) throw this.#lost();
    const patienceMs = this.#rules.patienceMs();
    const asked = ask(`${this.#entry.engine}${path}`, {
      ...call,
      signal: this.#rules.endOfEngineWork(call.signal),
      pool: this.#pool,
      onSent: (request) => {
        this.#underWay.add(request);
        request.once('close', () => this.#underWay.delete(request));
        if (patienceMs === Infinity) return;
        const giveUp = setTimeout(
          () => request.destroy(new Error('the engine is silent')),
          patienceMs,
        );
        for (const event of ['response', 'close']) request.once(event, () => clearTimeout(giveUp));
      },
    });
    return Promise.race([asked, aborted(call.signal)]);
  }

  #lost(): LinkLost {
    return new LinkLost(`agent ${this.#entry.name} is gone`);
  }
}

/** Headers that pass between router and engine: all except those of the connection. */
function kept(headers: IncomingHttpHeaders): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !CONNECTION_HEADERS.has(name)) lines[name] = value;
  }
  return lines;
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]);
