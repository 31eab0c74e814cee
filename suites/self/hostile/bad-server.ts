/** Servers that misbehave on purpose, described as data, and a function that runs them. */

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type Listening, listening } from '../../../harness/exchange/listening.test.support.ts';

/** One received request, and functions to answer it badly. */
export interface Call {
  readonly socket: Socket;
  readonly head: string;
  /** Number of earlier requests over all connections. */
  readonly before: number;
  readonly path: string;
  /** Writes repeatedly until the connection is closed. */
  readonly forever: (piece: string | Uint8Array, everyMs: number) => void;
  /** Acts later, unless the connection is closed by then. */
  readonly later: (ms: number, act: () => void) => void;
}

export interface BadServer {
  readonly name: string;
  readonly answer: (call: Call) => void;
  /** A text that the report must contain if no violation can be found. */
  readonly explains?: RegExp;
  /** True if some of its responses are readable, so that findings in them explain as much. */
  readonly isRead?: true;
  /** Makes it a TLS server with these options. */
  readonly tls?: TlsOptions;
  /** Called for a new connection, before any request. */
  readonly greet?: (socket: Socket) => void;
}

/** A complete response: status, headers, and a body with its correct length. */
export function whole(
  body: string | Uint8Array,
  headers: readonly string[] = ['Content-Type: application/json'],
  status = '200 OK',
): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([headOf([...headers, `Content-Length: ${bytes.length}`], status), bytes]);
}

/** Servers that answer each request with these bytes, by name; `explains` applies to all of them. */
export function saying(
  answers: Readonly<Record<string, string | Uint8Array>>,
  explains?: RegExp,
): readonly BadServer[] {
  return Object.entries(answers).map(([name, bytes]) => ({
    name,
    answer: ({ socket }) => void socket.write(bytes),
    ...(explains === undefined ? {} : { explains }),
  }));
}

/** Status line and headers, with the empty line. */
export function headOf(headers: readonly string[], status = '200 OK'): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`,
    'latin1',
  );
}

/** A sound response to the requests of the preflight. */
const sound = whole('{"data":[],"presets":[],"pagination":{"next":null,"size":1}}');
const refused = whole(
  '{"error":{"code":"unauthorized","message":"unauthorized","source":"router"}}',
  ['Content-Type: application/json'],
  '401 Unauthorized',
);

/** Starts a bad server on a free port of loopback; its first `soundFirst` requests get a sound response. */
export async function listen(bad: BadServer, soundFirst = 0): Promise<Listening> {
  const sockets = new Set<Socket>();
  let before = 0;
  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    bad.greet?.(socket);
    let text = '';
    socket.on('data', (piece: Buffer) => {
      // Searches only for request heads; no request body of the suite looks like one.
      text += piece.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        const path = head.split(' ', 2)[1] ?? '/';
        if (!/^[A-Z]+ \//u.test(head)) continue;
        if (before < soundFirst) socket.write(/^authorization:/imu.test(head) ? sound : refused);
        else bad.answer({ ...callOn(socket), head, before, path });
        before += 1;
      }
    });
  };
  const server: Server =
    bad.tls === undefined ? createServer(onConnection) : createTlsServer(bad.tls, onConnection);
  server.on('tlsClientError', () => {});
  return listening(server);
}

function callOn(socket: Socket): Pick<Call, 'socket' | 'forever' | 'later'> {
  return {
    socket,
    forever: (piece, everyMs) => {
      const timer = setInterval(() => {
        if (!socket.writableNeedDrain) socket.write(piece);
      }, everyMs);
      socket.once('close', () => clearInterval(timer));
    },
    later: (ms, act) => {
      const timer = setTimeout(act, ms);
      socket.once('close', () => clearTimeout(timer));
    },
  };
}
