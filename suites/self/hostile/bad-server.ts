/** A server that is bad on purpose, as data, and how it is put on a socket. */

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type Listening, listening } from '../../../harness/exchange/listening.test.support.ts';

/** One request as it came, and the means to answer it badly. */
export interface Call {
  readonly socket: Socket;
  /** Request line and headers. */
  readonly head: string;
  /** Requests before this one, over all connections. */
  readonly before: number;
  /** Path with query. */
  readonly path: string;
  /** Writes again and again until the connection is gone. */
  readonly forever: (piece: string | Uint8Array, everyMs: number) => void;
  /** Acts later, unless the connection is gone by then. */
  readonly later: (ms: number, act: () => void) => void;
}

export interface BadServer {
  readonly name: string;
  readonly answer: (call: Call) => void;
  /** What the report must say of it somewhere, where nothing can be found broken; more exactly what was. */
  readonly explains?: RegExp;
  /** Some of its answers are read whole: what is found wrong in them tells as much. */
  readonly isRead?: true;
  /** Speaks TLS, in this way. */
  readonly tls?: TlsOptions;
  /** What it does to a connection before any request. */
  readonly greet?: (socket: Socket) => void;
}

/** A whole answer: status, headers, body with its true length. */
export function whole(
  body: string | Uint8Array,
  headers: readonly string[] = ['Content-Type: application/json'],
  status = '200 OK',
): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([headOf([...headers, `Content-Length: ${bytes.length}`], status), bytes]);
}

/** Servers that answer each request with these bytes, by what they do; of all of them this must be told. */
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

/** What any server may answer to a first look. */
const sound = whole('{"data":[],"presets":[],"pagination":{"next":null,"size":1}}');
const refused = whole(
  '{"error":{"code":"unauthorized","message":"unauthorized","source":"router"}}',
  ['Content-Type: application/json'],
  '401 Unauthorized',
);

/** Puts a bad server on a free port of the loopback interface; so many first requests are answered well. */
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
      // Only heads are read: a body that looks like one would be strange even for these servers.
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
