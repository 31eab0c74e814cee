/**
 * An agent: a small server in front of one engine. It forwards, and tells the router in a header what
 * became of it. The router reaches it over real connections.
 */

import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { Agent as Pool, createServer } from 'node:http';
import { once } from 'node:events';
import { classify } from './classification.ts';
import { CLOSED_PORT } from './closed-port.ts';
import type { AgentEntry } from './deployment.ts';
import { ask, bodyOf } from './http-call.ts';
import type { RouterRules } from './rules/rules.ts';

/** What became of a request, as an agent tells it to the router. */
export const OUTCOME_HEADER = 'x-agent-outcome';
/**
 * - `answered`: the engine's success follows as it is.
 * - `forwarded`: the engine's error follows as it is.
 * - `failed`: a code and a message of the agent's own follow as JSON.
 */
export type AgentOutcome = 'answered' | 'forwarded' | 'failed';

export class AgentServer {
  readonly #entry: AgentEntry;
  readonly #rules: RouterRules;
  #server: Server | undefined;
  /** Connections to the engine, which closes none that is idle: what ends one is meant. */
  readonly #pool = new Pool({ keepAlive: true });
  #port = 0;

  constructor(entry: AgentEntry, rules: RouterRules) {
    this.#entry = entry;
    this.#rules = rules;
  }

  /** Where it listens, or listened; before the first start a port where nothing does. */
  get address(): string {
    return this.#port === 0 ? CLOSED_PORT : `http://127.0.0.1:${this.#port}`;
  }

  /** Listens; after a stop on the same port as before. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    // The router keeps connections open as long as it likes; only a stopped agent makes them stale.
    server.keepAliveTimeout = 0;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
    this.#server = server;
  }

  /** Closes the port and every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    this.#pool.destroy();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      if (request.url === '/metrics') return await this.#forwardMetrics(response, gone.signal);
      await this.#forward(request, response, gone.signal);
    } catch {
      // The engine was lost after its answer had begun: the only honest end is an early one.
      response.destroy();
    }
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const path = request.url ?? '/';
    const body = await bodyOf(request);
    const engine = await this.#askEngine(path, request.headers, body, signal);
    if (typeof engine === 'string')
      return this.#fail(response, engine, 'the engine is unavailable', {});
    const status = engine.statusCode ?? 502;
    const outcome: AgentOutcome = this.#rules.isSuccess(status) ? 'answered' : 'forwarded';
    if (outcome === 'answered' || !this.#rules.classifies(path)) {
      return pass(engine, response, outcome, signal);
    }
    const { code, message } = classify(this.#rules, status, await bodyOf(engine).catch(() => null));
    this.#fail(response, code, message, kept(engine.headers));
  }

  /** The engine's answer, or the code that its silence means. */
  async #askEngine(
    path: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<IncomingMessage | string> {
    try {
      const call = { headers: kept(headers), body, signal, pool: this.#pool };
      return await ask(`${this.#entry.engine}${path}`, call);
    } catch (error) {
      const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      return this.#rules.lostCode(refused);
    }
  }

  #fail(
    response: ServerResponse,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>>,
  ): void {
    response.writeHead(200, {
      ...headers,
      [OUTCOME_HEADER]: 'failed' satisfies AgentOutcome,
      'content-type': 'application/json',
    });
    response.end(JSON.stringify({ code, message }));
  }

  async #forwardMetrics(response: ServerResponse, signal: AbortSignal): Promise<void> {
    const engine = await ask(`${this.#entry.engine}/metrics`, { method: 'GET', signal });
    response.writeHead(engine.statusCode ?? 502).end(await bodyOf(engine));
  }
}

/** Passes an engine's answer on piece by piece, as it comes. */
async function pass(
  engine: IncomingMessage,
  response: ServerResponse,
  outcome: AgentOutcome,
  signal: AbortSignal,
): Promise<void> {
  const headers = { ...kept(engine.headers), [OUTCOME_HEADER]: outcome };
  response.writeHead(engine.statusCode ?? 502, headers);
  response.flushHeaders();
  for await (const piece of engine) {
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
  response.end();
}

/** Headers that travel between router and engine: all but those of the connection and the credential. */
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
  OUTCOME_HEADER,
]);
