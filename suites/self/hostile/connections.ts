/** Servers with bad connections: silent, slow, closing early, or with broken TLS. */

import type { Socket } from 'node:net';
import { selfSigned } from '../certificates.ts';
import { type BadServer, headOf, whole } from './bad-server.ts';

const page = '{"data":[],"pagination":{"next":null}}';
const chunked = headOf(['Content-Type: application/json', 'Transfer-Encoding: chunked']).toString();

const waited = /waited [\d.]+ s for an answer/u;
const unfinished = /waited [\d.]+ s for the rest of an answer/u;
const reset = /ended "reset"/u;

function hangingUp(ways: Readonly<Record<string, (socket: Socket) => void>>): readonly BadServer[] {
  return Object.entries(ways).map(([name, hangUp]) => ({
    name,
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => hangUp(socket),
  }));
}

export const badConnections: readonly BadServer[] = [
  { name: 'never answers', explains: waited, answer: () => {} },
  {
    name: 'closes at once',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: () => {},
    greet: (socket) => socket.destroy(),
  },
  {
    name: 'resets at once',
    explains: reset,
    answer: () => {},
    greet: (socket) => socket.resetAndDestroy(),
  },
  ...hangingUp({
    'closes after the request': (socket) => socket.destroy(),
    'ends in the status line': (socket) => socket.end('HTTP/1.1 2'),
    'ends in the headers': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
    'ends after the headers': (socket) => socket.end(headOf(['Content-Length: 40'])),
    'ends in the body': (socket) => socket.end(whole(page).subarray(0, -10)),
    'ends in a chunk': (socket) => socket.end(`${chunked}26\r\n{"da`),
    'ends without the last chunk': (socket) => socket.end(`${chunked}26\r\n${page}\r\n`),
  }),
  {
    name: 'resets after the request',
    explains: reset,
    answer: ({ socket }) => socket.resetAndDestroy(),
  },
  {
    name: 'sends a byte a second',
    explains: waited,
    answer: ({ socket, forever }) => {
      socket.write('H');
      forever('T', 1_000);
    },
  },
  {
    name: 'sends a byte of the body a second',
    explains: unfinished,
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Length: 1000000']));
      forever(' ', 1_000);
    },
  },
  {
    name: 'sends headers and then nothing',
    explains: unfinished,
    answer: ({ socket }) => void socket.write(headOf(['Content-Length: 10'])),
  },
  {
    name: 'forgets keep-alive',
    answer: ({ socket }) =>
      socket.end(whole(page, ['Content-Type: application/json', 'Connection: keep-alive'])),
  },
  {
    name: 'resets after each answer',
    explains: reset,
    isRead: true,
    answer: ({ socket, later }) => {
      socket.write(whole(page));
      later(1, () => socket.resetAndDestroy());
    },
  },
  {
    name: 'slows down as it goes',
    explains: waited,
    answer: ({ socket, later, before }) => {
      later(before * 5, () => void socket.write(whole(page)));
    },
  },
  ...(
    [
      ['dies half way', Infinity],
      ['dies half way and comes back', 90],
    ] as const
  ).map(([name, back]): BadServer => ({
    name,
    explains: reset,
    isRead: true,
    answer: ({ socket, before }) => {
      if (before > 40 && before < back) socket.resetAndDestroy();
      else socket.write(whole(page));
    },
  })),
  {
    name: 'answers before it is asked',
    answer: () => {},
    greet: (socket) => void socket.write(whole(page)),
  },
  {
    name: 'answers twice',
    answer: ({ socket }) =>
      void socket.write(Buffer.concat([whole(page), whole('{"second":true}')])),
  },
  {
    name: 'shows a certificate that nobody vouches for',
    explains: /self-signed certificate/u,
    tls: { ...selfSigned },
    answer: ({ socket }) => void socket.write(whole(page)),
  },
  {
    name: 'speaks an old TLS alone',
    explains: /protocol version/u,
    tls: { ...selfSigned, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' },
    answer: ({ socket }) => void socket.write(whole(page)),
  },
  { name: 'has no certificate', explains: /handshake failure/u, tls: {}, answer: () => {} },
];
