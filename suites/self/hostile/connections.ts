/** Servers that are bad at connections: silence, slowness, closing, TLS. */

import { selfSigned } from '../certificates.ts';
import { type BadServer, headOf, whole } from './bad-server.ts';

const page = '{"data":[],"pagination":{"next":null}}';
const chunked = headOf(['Content-Type: application/json', 'Transfer-Encoding: chunked']);

export const badConnections: readonly BadServer[] = [
  { name: 'never answers', explains: /waited [\d.]+ s for an answer/u, answer: () => {} },
  {
    name: 'closes at once',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: () => {},
    greet: (socket) => socket.destroy(),
  },
  {
    name: 'resets at once',
    explains: /ended "reset"/u,
    answer: () => {},
    greet: (socket) => socket.resetAndDestroy(),
  },
  {
    name: 'closes after the request',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.destroy(),
  },
  {
    name: 'resets after the request',
    explains: /ended "reset"/u,
    answer: ({ socket }) => socket.resetAndDestroy(),
  },
  {
    name: 'ends in the status line',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end('HTTP/1.1 2'),
  },
  {
    name: 'ends in the headers',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  },
  {
    name: 'ends after the headers',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(headOf(['Content-Length: 40'])),
  },
  {
    name: 'ends in the body',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(whole(page).subarray(0, -10)),
  },
  {
    name: 'ends in a chunk',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(`${chunked.toString()}26\r\n{"da`),
  },
  {
    name: 'ends without the last chunk',
    explains: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(`${chunked.toString()}26\r\n${page}\r\n`),
  },
  {
    name: 'sends a byte a second',
    explains: /waited [\d.]+ s for an answer/u,
    answer: ({ socket, forever }) => {
      socket.write('H');
      forever('T', 1_000);
    },
  },
  {
    name: 'sends a byte of the body a second',
    explains: /waited [\d.]+ s for the rest of an answer/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Length: 1000000']));
      forever(' ', 1_000);
    },
  },
  {
    name: 'sends headers and then nothing',
    explains: /waited [\d.]+ s for the rest of an answer/u,
    answer: ({ socket }) => void socket.write(headOf(['Content-Length: 10'])),
  },
  {
    name: 'forgets keep-alive',
    answer: ({ socket }) =>
      socket.end(whole(page, ['Content-Type: application/json', 'Connection: keep-alive'])),
  },
  {
    name: 'resets after each answer',
    explains: /ended "reset"/u,
    isRead: true,
    answer: ({ socket, later }) => {
      socket.write(whole(page));
      later(1, () => socket.resetAndDestroy());
    },
  },
  {
    name: 'slows down as it goes',
    explains: /waited [\d.]+ s for an answer/u,
    answer: ({ socket, later, before }) => {
      later(before * 5, () => void socket.write(whole(page)));
    },
  },
  {
    name: 'dies half way',
    explains: /ended "reset"/u,
    isRead: true,
    answer: ({ socket, before }) => {
      if (before > 40) socket.resetAndDestroy();
      else socket.write(whole(page));
    },
  },
  {
    name: 'dies half way and comes back',
    explains: /ended "reset"/u,
    isRead: true,
    answer: ({ socket, before }) => {
      if (before > 40 && before < 90) socket.resetAndDestroy();
      else socket.write(whole(page));
    },
  },
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
