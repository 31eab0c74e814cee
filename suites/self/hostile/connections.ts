/** Servers that are bad at connections: silence, slowness, closing, TLS. */

import { selfSigned } from '../certificates.ts';
import { type BadServer, headOf, whole } from './bad-server.ts';

const page = '{"data":[],"pagination":{"next":null}}';
const chunked = headOf(['Content-Type: application/json', 'Transfer-Encoding: chunked']);

export const badConnections: readonly BadServer[] = [
  { name: 'never answers', answer: () => {} },
  { name: 'closes at once', answer: () => {}, greet: (socket) => socket.destroy() },
  { name: 'resets at once', answer: () => {}, greet: (socket) => socket.resetAndDestroy() },
  { name: 'closes after the request', answer: ({ socket }) => socket.destroy() },
  { name: 'resets after the request', answer: ({ socket }) => socket.resetAndDestroy() },
  { name: 'ends in the status line', answer: ({ socket }) => socket.end('HTTP/1.1 2') },
  {
    name: 'ends in the headers',
    answer: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  },
  {
    name: 'ends after the headers',
    answer: ({ socket }) => socket.end(headOf(['Content-Length: 40'])),
  },
  {
    name: 'ends in the body',
    answer: ({ socket }) => socket.end(whole(page).subarray(0, -10)),
  },
  {
    name: 'ends in a chunk',
    answer: ({ socket }) => socket.end(`${chunked.toString()}26\r\n{"da`),
  },
  {
    name: 'ends without the last chunk',
    answer: ({ socket }) => socket.end(`${chunked.toString()}26\r\n${page}\r\n`),
  },
  {
    name: 'sends a byte a second',
    answer: ({ socket, forever }) => {
      socket.write('H');
      forever('T', 1_000);
    },
  },
  {
    name: 'sends a byte of the body a second',
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Length: 1000000']));
      forever(' ', 1_000);
    },
  },
  {
    name: 'sends headers and then nothing',
    answer: ({ socket }) => void socket.write(headOf(['Content-Length: 10'])),
  },
  {
    name: 'forgets keep-alive',
    answer: ({ socket }) =>
      socket.end(whole(page, ['Content-Type: application/json', 'Connection: keep-alive'])),
  },
  {
    name: 'resets after each answer',
    answer: ({ socket, later }) => {
      socket.write(whole(page));
      later(1, () => socket.resetAndDestroy());
    },
  },
  {
    name: 'slows down as it goes',
    answer: ({ socket, later, before }) => {
      later(before * 5, () => void socket.write(whole(page)));
    },
  },
  {
    name: 'dies half way',
    answer: ({ socket, before }) => {
      if (before > 40) socket.resetAndDestroy();
      else socket.write(whole(page));
    },
  },
  {
    name: 'dies half way and comes back',
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
    tls: { ...selfSigned },
    answer: ({ socket }) => void socket.write(whole(page)),
  },
  {
    name: 'speaks an old TLS alone',
    tls: { ...selfSigned, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' },
    answer: ({ socket }) => void socket.write(whole(page)),
  },
  { name: 'has no certificate', tls: {}, answer: () => {} },
];
