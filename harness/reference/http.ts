/** HTTP for the reference servers: a loopback server, request bodies, replies and routes. */

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { isUnderForeignName } from '../backend/address.ts';

export type HeaderLine = readonly [name: string, value: string];

export interface Reply {
  readonly status: number;
  /** In sending order. Length and chunking are added when the reply is sent. */
  readonly headers: readonly HeaderLine[];
  /** Text is sent as UTF-8. */
  readonly body: string | Uint8Array;
  /** Number of body bytes after which the connection is closed (default: the whole body is sent). */
  readonly cutAfter?: number;
}

/** How a server writes a message on the wire, without effect on its content. */
export interface Framing {
  readonly headerCase: 'canonical' | 'lower' | 'upper';
  /** Size in bytes of the pieces of a chunked body. Undefined sends the body in one piece with a Content-Length. */
  readonly chunkBytes: number | undefined;
  /** Sends `100 Continue` first, whether the client expects it or not. */
  readonly continues?: boolean;
}

export const plainFraming: Framing = { headerCase: 'canonical', chunkBytes: undefined };

/** A header name in the chosen case: `Retry-After`, `retry-after` or `RETRY-AFTER`. */
export function headerName(name: string, headerCase: Framing['headerCase']): string {
  if (headerCase === 'canonical') return name;
  return headerCase === 'lower' ? name.toLowerCase() : name.toUpperCase();
}

/** Value of the first header with that name, in any case. */
export function headerOf(reply: Reply, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return reply.headers.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
}

/** The same reply with one header set (in its place, or last) or, for undefined, removed. */
export function withHeader(reply: Reply, name: string, value: string | undefined): Reply {
  const wanted = name.toLowerCase();
  const place = reply.headers.findIndex(([candidate]) => candidate.toLowerCase() === wanted);
  const others = reply.headers.filter(([candidate]) => candidate.toLowerCase() !== wanted);
  if (value === undefined) return { ...reply, headers: others };
  const at = place === -1 ? others.length : place;
  return { ...reply, headers: [...others.slice(0, at), [name, value], ...others.slice(at)] };
}

/** Sends a whole reply. A client that has disconnected is not an error. */
export function sendReply(
  response: ServerResponse,
  reply: Reply,
  framing: Framing = plainFraming,
): void {
  if (response.destroyed || response.headersSent) return;
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body, 'utf8') : reply.body;
  // A flat list keeps the order and case of the headers; an object would not.
  const lines = reply.headers.flatMap(([name, value]) => [
    headerName(name, framing.headerCase),
    value,
  ]);
  const bodiless = reply.status === 204 || reply.status === 304;
  if (!bodiless && framing.chunkBytes === undefined) {
    lines.push(headerName('Content-Length', framing.headerCase), String(body.byteLength));
  }
  if (framing.continues === true) response.writeContinue();
  response.writeHead(reply.status, lines);
  if (bodiless) {
    response.end();
    return;
  }
  const step = Math.max(1, framing.chunkBytes ?? body.byteLength);
  const sent = body.subarray(0, reply.cutAfter);
  for (let from = 0; from < sent.byteLength; from += step) {
    response.write(sent.subarray(from, from + step));
  }
  if (reply.cutAfter === undefined) response.end();
  else response.write('', () => response.socket?.end());
}

/** The whole body of a request, empty if there is none. Stops reading once `fits` returns false. */
export async function readBody(
  request: IncomingMessage,
  fits: (bytes: number) => boolean = () => true,
): Promise<Buffer | 'too-large'> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(piece);
    length += bytes.byteLength;
    if (!fits(length)) return 'too-large';
    pieces.push(bytes);
  }
  return Buffer.concat(pieces, length);
}

/** Path and query of a request target, which may also contain a scheme and a host. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const [path = '/', ...query] = target.replace(/^https?:\/\/[^/?]*/iu, '').split('?');
  return { path, query: query.join('?') };
}

export interface Route<T> {
  readonly method: string;
  /** A template such as `/instances/{id}/stop`. */
  readonly path: string;
  readonly value: T;
}

interface RouteMatch<T> {
  readonly route: Route<T>;
  /** The value of each `{name}`, with percent escapes decoded where they are valid. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The result of routing: a route, a known path with another method, or nothing. */
export type Routed<T> =
  | ({ readonly outcome: 'found' } & RouteMatch<T>)
  | { readonly outcome: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly outcome: 'unknown' };

/** Routes a method and a path (without query). The first match wins. */
export function createRouter<T>(
  routes: readonly Route<T>[],
): (method: string, path: string) => Routed<T> {
  const compiled = routes.map((route) => {
    const source = route.path.replaceAll(/\{(\w+)\}/gu, '(?<$1>[^/]+)');
    return { route, expression: new RegExp(`^${source}$`, 'u') };
  });
  return (method, path) => {
    const allowed: string[] = [];
    for (const { route, expression } of compiled) {
      const found = expression.exec(path);
      if (found === null) continue;
      if (route.method === method) {
        const parts = Object.entries(found.groups ?? {});
        const parameters = Object.fromEntries(parts.map(([name, part]) => [name, decoded(part)]));
        return { outcome: 'found', route, parameters };
      }
      allowed.push(route.method);
    }
    return allowed.length > 0 ? { outcome: 'wrong-method', allowed } : { outcome: 'unknown' };
  };
}

/** Decodes the percent escapes of a path part or query piece, or returns the text unchanged if they are invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 0, which picks a free port. */
  readonly port?: number | undefined;
  /** The response to bytes that are not HTTP. Without it, the connection is closed silently. */
  readonly malformed?: (error: Error) => Reply;
  /** Settings of node:http. The defaults are wide, so that the handler does the refusing. */
  readonly server?: ServerOptions;
  /** Receives every error that the handler throws. The connection is then cut. */
  readonly onError?: (error: unknown) => void;
}

export interface Listening {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Cuts all connections and frees the port. May be called twice. */
  close(): Promise<void>;
}

/** Large enough for any URL that a test sends. With its own limit of 16 KiB, node would answer 431 without our envelope. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
/** Longer than any pause of a client, so that the server never closes an idle connection just as a request arrives. */
const KEEP_ALIVE_MS = 120_000;

/** Starts listening. Rejects if the port is taken. */
export async function listen(handler: Handler, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, malformed } = options;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // A client may disconnect, or keep sending after an early response. Neither is an error of the server.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (isUnderForeignName(request)) {
      response.writeHead(421, { Connection: 'close' }).end();
      return;
    }
    Promise.resolve()
      .then(() => handler(request, response))
      .catch((error: unknown) => {
        options.onError?.(error);
        request.socket.destroy();
      });
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false,
      noDelay: true,
      ...options.server,
    },
    answer,
  );
  server.on('checkExpectation', answer);
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    answer(request, response);
  });
  server.on('clientError', (error, socket) => {
    refuse(socket, malformed?.(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${bound}`,
    port: bound,
    server,
    close: () => closed(server),
  };
}

function refuse(socket: Duplex, reply: Reply | undefined): void {
  if (!socket.writable || reply === undefined) {
    socket.destroy();
    return;
  }
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body, 'utf8') : reply.body;
  const lines = reply.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length =
    headerOf(reply, 'content-length') === undefined ? `Content-Length: ${body.byteLength}\r\n` : '';
  socket.write(`HTTP/1.1 ${reply.status} Error\r\n${lines}${length}Connection: close\r\n\r\n`);
  socket.end(body);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
