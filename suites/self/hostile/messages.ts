/** Servers with bad HTTP: status lines, headers, lengths, codings. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BadServer, type Call, headOf, saying, whole } from './bad-server.ts';

const json = 'Content-Type: application/json';
const page = '{"data":[],"pagination":{"next":null}}';
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
const brotliBomb = brotliCompressSync(Buffer.alloc(40 * 1024 * 1024));

/** A head with the type JSON and further header lines, followed by `rest`. */
const under = (lines: readonly string[], rest: string): Buffer =>
  Buffer.concat([headOf([json, ...lines]), Buffer.from(rest)]);
const ofLength = (...lengths: readonly string[]): Buffer =>
  under(
    lengths.map((length) => `Content-Length: ${length}`),
    page,
  );
const CHUNKED = 'Transfer-Encoding: chunked';
const chunked = (rest: string, ...more: readonly string[]): Buffer =>
  under([CHUNKED, ...more], rest);
const coded = (coding: string, body: string | Uint8Array = page): Buffer =>
  whole(body, [json, `Content-Encoding: ${coding}`]);
/** A response with a body of two bytes and these lines at the start of its head. */
const headed = (lines: string): string => `${lines}\r\nContent-Length: 2\r\n\r\n{}`;

/** Writes `first`, and then `again` every few milliseconds. */
const endless =
  (first: string | Uint8Array, again: string | Uint8Array, everyMs = 1) =>
  ({ socket, forever }: Call): void => {
    socket.write(first);
    forever(again, everyMs);
  };
const line = `X-A: ${'a'.repeat(1_000)}\r\n`;
const stream = headOf(['Content-Type: text/event-stream']);

const waited = /waited [\d.]+ s for an answer/u;
const unfinished = /waited [\d.]+ s for the rest of an answer/u;
const tooMuch = /passed \d+ bytes|waited [\d.]+ s for the rest/u;

export const badMessages: readonly BadServer[] = [
  ...saying(
    {
      'answers in another protocol': '220 mail.example ESMTP\r\n',
      'has a status line of nonsense': 'HTTP/1.1 OK 200\r\nContent-Length: 0\r\n\r\n',
      'has no status': 'HTTP/1.1\r\nContent-Length: 0\r\n\r\n',
      'speaks HTTP/9.9': headed('HTTP/9.9 200 OK'),
      'speaks HTTP/0.9': page,
      'has a header without colon': headed('HTTP/1.1 200 OK\r\nNo colon here'),
      'folds a header': headed('HTTP/1.1 200 OK\r\nX-A: one\r\n two'),
      'has NUL in a header': headed('HTTP/1.1 200 OK\r\nX-A: a\0b'),
      'has a negative length': ofLength('-5'),
      'has a length of words': ofLength('many'),
      'has a chunk of a size of words': chunked(`zz\r\n${page}\r\n`),
      'has trailers': chunked(
        `26\r\n${page}\r\n0\r\nX-A: b\r\nContent-Length: 3\r\n\r\n`,
        'Trailer: X-A',
      ),
      'has trailers of junk': chunked(`26\r\n${page}\r\n0\r\nno colon \0 here\r\n\r\n`),
    },
    /ended "malformed".*does not match the HTTP\/1\.1 protocol/u,
  ),
  ...saying(
    { 'has a status of 99': whole(page, [json], '099 Low') },
    /ended "malformed".*no HTTP/u,
  ),
  ...saying({ 'has a status of 999': whole(page, [json], '999 High') }, /999/u).map(
    (server): BadServer => ({ ...server, isRead: true }),
  ),
  ...saying(
    {
      'has a header of a megabyte': headOf([`X-A: ${'a'.repeat(1 << 20)}`, 'Content-Length: 0']),
    },
    /ended "malformed".*Headers Overflow/u,
  ),
  {
    name: 'has headers without end',
    // On a busy machine the run ends before that many headers have arrived.
    explains: /ended "malformed".*Headers Overflow|waited [\d.]+ s for (?:the rest of )?an answer/u,
    answer: endless('HTTP/1.1 200 OK\r\n', line),
  },
  {
    name: 'floods with 103',
    explains: waited,
    answer: endless(
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50),
    ),
  },
  ...saying({
    'continues without being asked': Buffer.concat([
      Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'),
      whole(page),
    ]),
  }),
  ...saying(
    {
      'switches protocols':
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    },
    /ended "malformed".*switched protocols/u,
  ),
  ...saying({ 'is longer than its length': ofLength('5') }),
  ...saying(
    {
      'has two lengths': ofLength('5', '38'),
      'has a length of 10^30': ofLength(`1${'0'.repeat(30)}`),
      'has both length and chunks': under(
        ['Content-Length: 5', CHUNKED],
        `26\r\n${page}\r\n0\r\n\r\n`,
      ),
    },
    /ended "malformed".*length/u,
  ),
  {
    name: 'has trailers without end',
    explains:
      /ended "malformed".*Overflow|waited [\d.]+ s for the rest of an answer|passed \d+ bytes/u,
    answer: endless(chunked(`26\r\n${page}\r\n0\r\n`), line.repeat(50)),
  },
  {
    name: 'sends the request back',
    explains: /ended "malformed".*does not match the HTTP\/1\.1 protocol/u,
    answer: ({ socket, head }) => void socket.write(`${head}\r\n\r\n`),
  },
  ...saying(
    {
      'is shorter than its length': ofLength('500'),
      'has an unknown transfer coding': under(['Transfer-Encoding: mystery'], page),
    },
    unfinished,
  ),
  {
    name: 'has a body up to the end of the connection',
    answer: ({ socket }) => void socket.end(under([], page)),
  },
  {
    name: 'has a body without end',
    // On a busy machine the response may not have started when the time runs out.
    explains: /passed \d+ bytes|waited [\d.]+ s for (?:the rest of )?an answer/u,
    answer: endless(headOf([json]), Buffer.alloc(256 * 1024, '[')),
  },
  {
    name: 'comes in chunks of a byte',
    explains: /passed \d+ bytes|more than \d+ pieces|waited [\d.]+ s for the rest/u,
    answer: endless(chunked(''), '1\r\n \r\n'.repeat(20_000)),
  },
  {
    name: 'has an event stream without end',
    explains: tooMuch,
    answer: endless(stream, 'data: {"choices":[]}\n\n', 2),
  },
  {
    name: 'has one event without end',
    explains: tooMuch,
    answer: endless(`${stream.toString()}data: `, Buffer.alloc(1024 * 1024, 'a'), 2),
  },
  ...saying(
    {
      'is a gzip bomb': coded('gzip', bomb),
      'is a brotli bomb': coded('br', brotliBomb),
      'says gzip and is not': coded('gzip'),
      'has an unknown content coding': coded('mystery'),
      'is half a gzip': coded('gzip', gzipSync(page.repeat(20)).subarray(0, 40)),
      'codes a hundred times': coded(Array(100).fill('gzip').join(', ')),
    },
    /cannot be decoded/u,
  ),
  ...saying(
    { 'is gzip and does not say so': whole(gzipSync(page)) },
    /cannot be decoded|is not JSON/u,
  ),
];
