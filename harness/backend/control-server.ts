/**
 * The control port: the verbs of `BackendControl` as JSON over HTTP, for suites that run in another process.
 *
 * | request | answer |
 * |---|---|
 * | `GET /` | the listeners and this list |
 * | `POST /scripts` `{behaviours}` | 201 `{id}` |
 * | `GET /scripts/{id}/hits` | `{hits}`, bodies in base64 |
 * | `POST /scripts/{id}/wait` `{condition, timeoutMs?}` | `{met, counts}` once the condition holds, or after 20 s at most |
 * | `POST /scripts/{id}/release` `{count?}` | `{}` |
 * | `DELETE /scripts/{id}` | `{}` |
 * | `PUT /pressure` `{pressure, listener?}` | `{}` |
 * | `GET /totals` | `{totals}` |
 * | `GET /hits` | `{hits}` of all scripts and of none |
 * | `POST /turns` `{alone, at?}` | 200 once it is the caller's turn, which lasts until the connection ends |
 * | `GET /questions`, `Upgrade: plumbline-control` | 101, and then questions and answers a line each (see `control-lines.ts`) |
 *
 * Errors are `{error: {name, message}}`: 400 for what cannot be read, 401 without the token, 403 from another machine, 404 for an unknown script.
 * Questions must be labelled `application/json`, so that no web page can put them without asking first.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';

import { stop } from './address.ts';
import { receiveBody } from './body.ts';
import type { BackendControl } from './control.ts';
import { answerLines, takeUpgrade } from './control-lines.ts';
import { ControlVerbs, Refused, refusal } from './control-verbs.ts';
import { turnQuestion, turnSignMs } from './control-wire.ts';
import type { ScriptRegistry } from './script-registry.ts';

/** More than any script needs. */
const readableBytes = 64 * 1024 * 1024;

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
  const lines = new Set<Duplex>();
  const verbs = new ControlVerbs(control, registry);
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  server.keepAliveTimeout = 0;
  server.on('upgrade', (request, socket) => {
    try {
      admit(request, token);
      takeUpgrade(request, socket);
      lines.add(socket);
      socket.once('close', () => lines.delete(socket));
      answerLines(socket, verbs);
    } catch (error) {
      const [status, value] = refusal(error);
      const body = JSON.stringify(value);
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    }
  });
  return {
    server,
    close: async () => {
      // A server that closes waits for upgraded connections and does not count them among its own.
      for (const socket of lines) socket.destroy();
      await stop(server);
    },
  };

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
