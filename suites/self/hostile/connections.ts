/** Servers that are bad at connections: silence, slowness, closing, TLS. */

import { selfSigned } from '../certificates.ts';
import { type BadServer, headOf, whole } from './bad-server.ts';

const page = '{"data":[],"pagination":{"next":null}}';
const chunked = headOf(['Content-Type: application/json', 'Transfer-Encoding: chunked']);

export const badConnections: readonly BadServer[] = [
  { name: 'never answers', tells: /waited [\d.]+ s for an answer/u, answer: () => {} },
  {
    name: 'closes at once',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: () => {},
    greet: (socket) => socket.destroy(),
  },
  {
    name: 'resets at once',
    tells: /ended "reset"/u,
    answer: () => {},
    greet: (socket) => socket.resetAndDestroy(),
  },
  {
    name: 'closes after the request',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.destroy(),
  },
  {
    name: 'resets after the request',
    tells: /ended "reset"/u,
    answer: ({ socket }) => socket.resetAndDestroy(),
  },
  {
    name: 'ends in the status line',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end('HTTP/1.1 2'),
  },
  {
    name: 'ends in the headers',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  },
  {
    name: 'ends after the headers',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(headOf(['Content-Length: 40'])),
  },
  {
    name: 'ends in the body',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(whole(page).subarray(0, -10)),
  },
  {
    name: 'ends in a chunk',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(`${chunked.toString()}26\r\n{"da`),
  },
  {
    name: 'ends without the last chunk',
    tells: /ended "(?:cut-short|reset)"/u,
    answer: ({ socket }) => socket.end(`${chunked.toString()}26\r\n${page}\r\n`),
  },
  {
    name: 'sends a byte a second',
    tells: /waited [\d.]+ s for an answer/u,
    answer: ({ socket, forever }) => {
      socket.write('H');
      forever('T', 1_000);
    },
  },
  {
    name: 'sends a byte of the body a second',
    tells: /waited [\d.]+ s for the rest of an answer/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Length: 1000000']));
      forever(' ', 1_000);
    },
  },
  {
    name: 'sends headers and then nothing',
    tells: /waited [\d.]+ s for the rest of an answer/u,
    answer: ({ socket }) => void socket.write(headOf(['Content-Length: 10'])),
  },
  {
    name: 'forgets keep-alive',
    answer: ({ socket }) =>
      socket.end(whole(page, ['Content-Type: application/json', 'Connection: keep-alive'])),
  },
  {
    name: 'resets after each answer',
    tells: /ended "reset"/u,
    isRead: true,
    answer: ({ socket, later }) => {
      socket.write(whole(page));
      later(1, () => socket.resetAndDestroy());
    },
  },
  {
    name: 'slows down as it goes',
    tells: /waited [\d.]+ s for an answer/u,
    answer: ({ socket, later, before }) => {
      later(before * 5, () => void socket.write(whole(page)));
    },
  },
  {
    name: 'dies half way',
    tells: /ended "reset"/u,
    isRead: true,
    answer: ({ socket, before }) => {
      if (before > 40) socket.resetAndDestroy();
      else socket.write(whole(page));
    },
  },
  {
    name: 'dies half way and comes back',
    tells: /ended "reset"/u,
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
    tells: /self-signed certificate/u,
    tls: { ...selfSigned },
    answer: ({ socket }) => void socket.write(whole(page)),
  },
  {
    name: 'speaks an old TLS alone',
    tells: /protocol version/u,
    tls: { ...selfSigned, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' },
    answer: ({ socket }) => void socket.write(whole(page)),
  },
  { name: 'has no certificate', tells: /handshake failure/u, tls: {}, answer: () => {} },
];
