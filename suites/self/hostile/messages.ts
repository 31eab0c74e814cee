/** Servers that are bad at HTTP: status lines, headers, lengths, codings. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BadServer, type Call, headOf, whole } from './bad-server.ts';

const json = 'Content-Type: application/json';
const page = '{"data":[],"pagination":{"next":null}}';
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
const brotliBomb = brotliCompressSync(Buffer.alloc(40 * 1024 * 1024));

/** Answers each request with these bytes. */
function says(name: string, ...pieces: readonly (string | Uint8Array)[]): BadServer {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { name, answer: ({ socket }: Call) => void socket.write(bytes) };
}

function endsWith(name: string, ...pieces: readonly (string | Uint8Array)[]): BadServer {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { name, answer: ({ socket }: Call) => void socket.end(bytes) };
}

/** The same server, of which this must be told. */
function explaining(explains: RegExp, server: BadServer): BadServer {
  return { ...server, explains };
}

const malformed = /ended "malformed".*does not match the HTTP\/1\.1 protocol/u;
const overflow = /ended "malformed".*Headers Overflow/u;
const cutShort = /ended "cut-short"/u;
const mismatch = /ended "malformed".*length/u;
const waited = /waited [\d.]+ s for an answer/u;
const unfinished = /waited [\d.]+ s for the rest of an answer/u;
const undecodable = /cannot be decoded/u;

export const badMessages: readonly BadServer[] = [
  explaining(malformed, says('answers in another protocol', '220 mail.example ESMTP\r\n')),
  explaining(
    malformed,
    says('has a status line of nonsense', 'HTTP/1.1 OK 200\r\nContent-Length: 0\r\n\r\n'),
  ),
  explaining(
    /ended "malformed".*no HTTP/u,
    says('has a status of 99', whole(page, [json], '099 Low')),
  ),
  {
    ...explaining(/999/u, says('has a status of 999', whole(page, [json], '999 High'))),
    isRead: true,
  },
  explaining(malformed, says('has no status', 'HTTP/1.1\r\nContent-Length: 0\r\n\r\n')),
  explaining(malformed, says('speaks HTTP/9.9', 'HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}')),
  explaining(malformed, says('speaks HTTP/0.9', page)),
  explaining(
    malformed,
    says(
      'has a header without colon',
      'HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 2\r\n\r\n{}',
    ),
  ),
  explaining(
    malformed,
    says('folds a header', 'HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\n\r\n{}'),
  ),
  explaining(
    malformed,
    says('has NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 2\r\n\r\n{}'),
  ),
  explaining(
    overflow,
    says(
      'has a header of a megabyte',
      headOf([`X-A: ${'a'.repeat(1 << 20)}`, 'Content-Length: 0']),
    ),
  ),
  {
    name: 'has headers without end',
    // On a busy machine the run is over before so many have come.
    explains: /ended "malformed".*Headers Overflow|waited [\d.]+ s for (?:the rest of )?an answer/u,
    answer: ({ socket, forever }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      forever(`X-A: ${'a'.repeat(1_000)}\r\n`, 1);
    },
  },
  {
    name: 'floods with 103',
    explains: waited,
    answer: ({ socket, forever }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
      forever('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50), 1);
    },
  },
  explaining(
    cutShort,
    says('continues without being asked', 'HTTP/1.1 100 Continue\r\n\r\n', whole(page)),
  ),
  explaining(
    /ended "malformed".*switched protocols/u,
    says(
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    ),
  ),
  explaining(
    unfinished,
    says('is shorter than its length', headOf([json, 'Content-Length: 500']), page),
  ),
  says('is longer than its length', headOf([json, 'Content-Length: 5']), page),
  explaining(malformed, says('has a negative length', headOf([json, 'Content-Length: -5']), page)),
  explaining(
    malformed,
    says('has a length of words', headOf([json, 'Content-Length: many']), page),
  ),
  explaining(
    mismatch,
    says('has two lengths', headOf([json, 'Content-Length: 5', 'Content-Length: 38']), page),
  ),
  explaining(
    mismatch,
    says('has a length of 10^30', headOf([json, `Content-Length: 1${'0'.repeat(30)}`]), page),
  ),
  explaining(
    mismatch,
    says(
      'has both length and chunks',
      headOf([json, 'Content-Length: 5', 'Transfer-Encoding: chunked']),
      `26\r\n${page}\r\n0\r\n\r\n`,
    ),
  ),
  explaining(
    malformed,
    says(
      'has a chunk of a size of words',
      headOf([json, 'Transfer-Encoding: chunked']),
      `zz\r\n${page}\r\n`,
    ),
  ),
  explaining(
    malformed,
    says(
      'has trailers',
      headOf([json, 'Transfer-Encoding: chunked', 'Trailer: X-A']),
      `26\r\n${page}\r\n0\r\nX-A: b\r\nContent-Length: 3\r\n\r\n`,
    ),
  ),
  explaining(
    malformed,
    says(
      'has trailers of junk',
      headOf([json, 'Transfer-Encoding: chunked']),
      `26\r\n${page}\r\n0\r\nno colon \0 here\r\n\r\n`,
    ),
  ),
  {
    name: 'has trailers without end',
    explains:
      /ended "malformed".*Overflow|waited [\d.]+ s for the rest of an answer|passed \d+ bytes/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf([json, 'Transfer-Encoding: chunked']));
      socket.write(`26\r\n${page}\r\n0\r\n`);
      forever(`X-A: ${'a'.repeat(1_000)}\r\n`.repeat(50), 1);
    },
  },
  {
    name: 'sends the request back',
    explains: malformed,
    answer: ({ socket, head }) => void socket.write(`${head}\r\n\r\n`),
  },
  explaining(
    unfinished,
    says('has an unknown transfer coding', headOf([json, 'Transfer-Encoding: mystery']), page),
  ),
  endsWith('has a body up to the end of the connection', headOf([json]), page),
  {
    name: 'has a body without end',
    // Busy with others, it may not even have begun to answer when the time is over.
    explains: /passed \d+ bytes|waited [\d.]+ s for (?:the rest of )?an answer/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf([json]));
      forever(Buffer.alloc(256 * 1024, '['), 1);
    },
  },
  {
    name: 'comes in chunks of a byte',
    explains: /passed \d+ bytes|more than \d+ pieces|waited [\d.]+ s for the rest/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf([json, 'Transfer-Encoding: chunked']));
      forever('1\r\n \r\n'.repeat(20_000), 1);
    },
  },
  {
    name: 'has an event stream without end',
    explains: /passed \d+ bytes|waited [\d.]+ s for the rest/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Type: text/event-stream']));
      forever('data: {"choices":[]}\n\n', 2);
    },
  },
  {
    name: 'has one event without end',
    explains: /passed \d+ bytes|waited [\d.]+ s for the rest/u,
    answer: ({ socket, forever }) => {
      socket.write(headOf(['Content-Type: text/event-stream']));
      socket.write('data: ');
      forever(Buffer.alloc(1024 * 1024, 'a'), 2);
    },
  },
  explaining(undecodable, says('is a gzip bomb', whole(bomb, [json, 'Content-Encoding: gzip']))),
  explaining(
    undecodable,
    says('is a brotli bomb', whole(brotliBomb, [json, 'Content-Encoding: br'])),
  ),
  explaining(
    undecodable,
    says('says gzip and is not', whole(page, [json, 'Content-Encoding: gzip'])),
  ),
  explaining(
    /cannot be decoded|is not JSON/u,
    says('is gzip and does not say so', whole(gzipSync(page))),
  ),
  explaining(
    undecodable,
    says('has an unknown content coding', whole(page, [json, 'Content-Encoding: mystery'])),
  ),
  explaining(
    undecodable,
    says(
      'is half a gzip',
      whole(gzipSync(page.repeat(20)).subarray(0, 40), [json, 'Content-Encoding: gzip']),
    ),
  ),
  explaining(
    undecodable,
    says(
      'codes a hundred times',
      whole(page, [json, `Content-Encoding: ${Array(100).fill('gzip').join(', ')}`]),
    ),
  ),
];
