/** An HTTP server on loopback that starts at once on a free port and closes at once. */

import {
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type Reply, headerOf } from './reply.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export interface ListenOptions {
  /** 127.0.0.1 unless told. */
  readonly host?: string;
  /** 0, a free port, unless told. */
  readonly port?: number;
  /** The answer to bytes that are not HTTP; without it the connection is closed without a word. */
  readonly malformed?: (error: Error) => Reply;
  /** Settings of node:http; the defaults are wide, so that it is the handler that refuses. */
  readonly server?: ServerOptions;
  /** Told of what the handler throws; the connection is then cut. */
  readonly onError?: (error: unknown) => void;
}

export interface Listening {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Cuts all connections and frees the port. Safe to call twice. */
  close(): Promise<void>;
}

/** Large enough for any URL that a test would send; node's own 16 KiB would answer 431 without our envelope. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
/** Longer than any pause of a client, so that an idle connection is not closed under a request. */
const KEEP_ALIVE_MS = 120_000;

/** Starts listening. Rejects if the port is taken. */
export async function listen(handler: Handler, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, malformed } = options;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // A client that leaves, or writes on after an early answer, is its own affair.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
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
