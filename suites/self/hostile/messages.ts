/** Servers that are bad at HTTP: status lines, headers, lengths, codings. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BadServer, type Call, headOf, whole } from './bad-server.ts';

const json = 'Content-Type: application/json';
const page = '{"data":[],"pagination":{"next":null}}';
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
const brotliBomb = brotliCompressSync(Buffer.alloc(40 * 1024 * 1024));

function says(name: string, ...pieces: readonly (string | Uint8Array)[]): BadServer {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { name, answer: ({ socket }: Call) => void socket.write(bytes) };
}

function endsWith(name: string, ...pieces: readonly (string | Uint8Array)[]): BadServer {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { name, answer: ({ socket }: Call) => void socket.end(bytes) };
}

export const badMessages: readonly BadServer[] = [
  says('answers in another protocol', '220 mail.example ESMTP\r\n'),
  says('has a status line of nonsense', 'HTTP/1.1 OK 200\r\nContent-Length: 0\r\n\r\n'),
  says('has a status of 99', whole(page, [json], '099 Low')),
  says('has a status of 999', whole(page, [json], '999 High')),
  says('has no status', 'HTTP/1.1\r\nContent-Length: 0\r\n\r\n'),
  says('speaks HTTP/9.9', 'HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
  says('speaks HTTP/0.9', page),
  says(
    'has a header without colon',
    'HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 2\r\n\r\n{}',
  ),
  says('folds a header', 'HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\n\r\n{}'),
  says('has NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 2\r\n\r\n{}'),
  says('has a header of a megabyte', headOf([`X-A: ${'a'.repeat(1 << 20)}`, 'Content-Length: 0'])),
  {
    name: 'has headers without end',
    answer: ({ socket, forever }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      forever(`X-A: ${'a'.repeat(1_000)}\r\n`, 1);
    },
  },
  {
    name: 'floods with 103',
    answer: ({ socket, forever }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
      forever('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50), 1);
    },
  },
  says('continues without being asked', 'HTTP/1.1 100 Continue\r\n\r\n', whole(page)),
  says(
    'switches protocols',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  ),
  says('is shorter than its length', headOf([json, 'Content-Length: 500']), page),
  says('is longer than its length', headOf([json, 'Content-Length: 5']), page),
  says('has a negative length', headOf([json, 'Content-Length: -5']), page),
  says('has a length of words', headOf([json, 'Content-Length: many']), page),
  says('has two lengths', headOf([json, 'Content-Length: 5', 'Content-Length: 38']), page),
  says('has a length of 10^30', headOf([json, `Content-Length: 1${'0'.repeat(30)}`]), page),
  says(
    'has both length and chunks',
    headOf([json, 'Content-Length: 5', 'Transfer-Encoding: chunked']),
    `26\r\n${page}\r\n0\r\n\r\n`,
  ),
  says(
    'has a chunk of a size of words',
    headOf([json, 'Transfer-Encoding: chunked']),
    `zz\r\n${page}\r\n`,
  ),
  says(
    'has trailers',
    headOf([json, 'Transfer-Encoding: chunked', 'Trailer: X-A']),
    `26\r\n${page}\r\n0\r\nX-A: b\r\nContent-Length: 3\r\n\r\n`,
  ),
  says('has an unknown transfer coding', headOf([json, 'Transfer-Encoding: mystery']), page),
  endsWith('has a body up to the end of the connection', headOf([json]), page),
  {
    name: 'has a body without end',
    answer: ({ socket, forever }) => {
      socket.write(headOf([json]));
      forever(Buffer.alloc(256 * 1024, '['), 1);
    },
  },
  {
    name: 'has an event stream without end',
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Type: text/event-stream']));
      forever('data: {"choices":[]}\n\n', 2);
    },
  },
  {
    name: 'has one event without end',
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Type: text/event-stream']));
      socket.write('data: ');
      forever(Buffer.alloc(1024 * 1024, 'a'), 2);
    },
  },
  says('is a gzip bomb', whole(bomb, [json, 'Content-Encoding: gzip'])),
  says('is a brotli bomb', whole(brotliBomb, [json, 'Content-Encoding: br'])),
  says('says gzip and is not', whole(page, [json, 'Content-Encoding: gzip'])),
  says('is gzip and does not say so', whole(gzipSync(page))),
  says('has an unknown content coding', whole(page, [json, 'Content-Encoding: mystery'])),
  says(
    'is half a gzip',
    whole(gzipSync(page.repeat(20)).subarray(0, 40), [json, 'Content-Encoding: gzip']),
  ),
  says(
    'codes a hundred times',
    whole(page, [json, `Content-Encoding: ${Array(100).fill('gzip').join(', ')}`]),
  ),
];
