/**
 * The control port: the verbs of `BackendControl` as JSON over HTTP, for suites that run in another process.
 *
 * `GET /` lists what can be asked.
 *
 * Errors are `{error: {name, message}}`: 400 for what cannot be read, 401 without the token, 403 from another machine, 404 for an unknown script.
 * Questions must be labelled `application/json`, so that no web page can put them without asking first.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { timingSafeEqual } from 'node:crypto';

import { stop } from './address.ts';
import { receiveBody } from './body.ts';
import {
  type BackendControl,
  errorNames,
  longestPollMs,
  pressureQuestion,
  releaseQuestion,
  scriptQuestion,
  turnQuestion,
  turnSignMs,
  waitQuestion,
  WaitTimedOut,
  writeHit,
} from './control.ts';
import { parsePressure } from './load.ts';
import type { ScriptRegistry } from './scripts.ts';

/** More than any script needs. */
const readableBytes = 64 * 1024 * 1024;

const endpoints = [
  'GET / -> {listeners, endpoints}',
  'POST /scripts {behaviours} -> 201 {id}',
  'GET /scripts/{id}/hits -> {hits}, bodies in base64',
  'POST /scripts/{id}/wait {condition, timeoutMs?} -> {met, counts}, once it holds or after 20 s at most',
  'POST /scripts/{id}/release {count?} -> {}',
  'DELETE /scripts/{id} -> {}',
  'PUT /pressure {pressure, listener?} -> {}',
  'GET /totals -> {totals}',
  'GET /hits -> {hits}, of all scripts and of none',
  'POST /turns {alone, at?} -> 200 once it is the turn of the caller, until the connection ends',
];

export interface ControlServer {
  readonly server: Server;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/** Builds the server; it does not listen yet. With a token every caller must give it, without one callers must be on this machine. */
export function controlServer(
  control: BackendControl,
  registry: ScriptRegistry,
  token: string | undefined,
): ControlServer {
  const verbs = new ControlVerbs(control, registry);
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  server.keepAliveTimeout = 0;
  return { server, close: async () => stop(server) };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      admit(request, token);
      const { method = 'GET', url: path = '/' } = request;
      const body = await bodyOf(request);
      if (method === 'POST' && path === '/turns') {
        await holdTurn(response, body, gone.signal);
        return;
      }
      send(response, ...(await verbs.answer({ method, path, body }, gone.signal)));
    } catch (error) {
      send(response, ...refusal(error));
    }
  }

  async function holdTurn(
    response: ServerResponse,
    question: unknown,
    gone: AbortSignal,
  ): Promise<void> {
    const { alone, at } = turnQuestion.parse(question);
    const leave = await control.turn(alone, gone, at);
    const signs = setInterval(() => response.write('\n'), turnSignMs);
    const end = (): void => {
      clearInterval(signs);
      leave();
    };
    if (gone.aborted) return end();
    gone.addEventListener('abort', end, { once: true });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{}\n');
  }
}

function admit(request: IncomingMessage, token: string | undefined): void {
  if (token !== undefined) {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${token}`);
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
    throw new Refused(401, 'This control port wants its token: Authorization: Bearer TOKEN.');
  }
  if (isLoopback(request.socket.remoteAddress ?? '')) return;
  throw new Refused(
    403,
    'This control port answers its own machine only. Start the backend with a control token to reach it from others.',
  );
}

/** Whether an address is of this machine, also in the IPv6 form of an IPv4 address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const { bytes, length } = await receiveBody(request, readableBytes);
  if (length > readableBytes) throw new Refused(413, `At most ${readableBytes} bytes are read.`);
  if (request.method !== 'POST' && request.method !== 'PUT') return undefined;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refused(415, 'Send JSON, with content-type: application/json.');
  }
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Refused(400, 'The body is not JSON.');
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
}

/** A question that is refused, with the status that says so. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What is asked, as in an HTTP request. */
interface ControlQuestion {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The body, read as JSON; undefined without one. */
  readonly body: unknown;
}

/** Status and JSON value. */
type ControlAnswer = readonly [status: number, value: unknown];

/** Answers questions about one backend. */
class ControlVerbs {
  readonly #control: BackendControl;
  readonly #registry: ScriptRegistry;

  constructor(control: BackendControl, registry: ScriptRegistry) {
    this.#control = control;
    this.#registry = registry;
  }

  /** `gone` ends what waits for somebody who is no longer there. Throws what `refusal` reads. */
  async answer(
    { method, path: whole, body }: ControlQuestion,
    gone: AbortSignal,
  ): Promise<ControlAnswer> {
    const control = this.#control;
    const path = whole.split('?', 1)[0] ?? '';
    const [, id = '', verb = ''] = /^\/scripts\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    switch (`${method} ${id === '' ? path : `/scripts/{id}${verb && `/${verb}`}`}`) {
      case 'GET /':
        return [200, { listeners: control.listeners, endpoints }];
      case 'POST /scripts':
        return [201, { id: this.#registry.add(scriptQuestion.parse(body).behaviours) }];
      case 'GET /scripts/{id}/hits':
        return [200, { hits: (await control.hits(id)).map(writeHit) }];
      case 'POST /scripts/{id}/wait':
        return [200, await this.#poll(id, body, gone)];
      case 'POST /scripts/{id}/release':
        await control.release(id, releaseQuestion.parse(body).count);
        return [200, {}];
      case 'DELETE /scripts/{id}':
        await control.forget(id);
        return [200, {}];
      case 'PUT /pressure': {
        const { pressure, listener } = pressureQuestion.parse(body);
        await control.setPressure(parsePressure(pressure), listener);
        return [200, {}];
      }
      case 'GET /totals':
        return [200, { totals: await control.totals() }];
      case 'GET /hits':
        return [200, { hits: (await control.recentHits()).map(writeHit) }];
      default:
        throw new Refused(404, `No such end point here. There are: ${endpoints.join('; ')}.`);
    }
  }

  async #poll(id: string, body: unknown, signal: AbortSignal) {
    const { condition, timeoutMs = longestPollMs } = waitQuestion.parse(body);
    try {
      const options = { timeoutMs: Math.min(timeoutMs, longestPollMs), signal };
      return { met: true, counts: await this.#control.waitFor(id, condition, options) };
    } catch (error) {
      if (error instanceof WaitTimedOut) return { met: false, counts: error.counts };
      throw error;
    }
  }
}

/** The answer that an error is. */
function refusal(error: unknown): ControlAnswer {
  return [statusOf(error), { error: errorOf(error) }];
}

function statusOf(error: unknown): number {
  if (error instanceof Refused) return error.status;
  if (!(error instanceof Error)) return 500;
  if (error.name === 'UnknownScript') return 404;
  if (error.name === 'ZodError' || errorNames.some((name) => name === error.name)) return 400;
  return 500;
}

function errorOf(error: unknown) {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
