/** Arbitrary bytes as a response, in arbitrary pieces: both clients agree, never crash, and call only HTTP `complete`. */

import { createServer } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { dialled, observed, until } from '../passive/raw.test.support.ts';
import { sendRaw } from './raw-transport.ts';
import { createTransport, type WireResult } from './transport.ts';
import { listening } from './listening.test.support.ts';

/** What the server writes to the next client, piece by piece; it hangs up after the last one. */
let script: readonly Uint8Array[] = [];
const server = createServer({ noDelay: true }, (socket) => {
  const pieces = script;
  socket.once('data', () => {
    const next = (at: number): void => {
      const piece = pieces[at];
      if (piece === undefined) socket.end();
      else socket.write(piece, () => setImmediate(() => next(at + 1)));
    };
    next(0);
  });
});
const transport = createTransport();
const listener = await listening(server);
const origin = `http://127.0.0.1:${listener.port}`;
afterAll(async () => {
  await transport.close();
  await listener.close();
});

const bounds = { timeoutMs: 5_000, maxBytes: 100_000 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** The two clients: a raw socket and undici. */
const ways = {
  raw: async () => sendRaw({ origin, pieces: [Buffer.from(REQUEST)], ...bounds }),
  ordinary: async () =>
    transport.send({ origin, method: 'GET', path: '/', headers: [], body: undefined, ...bounds }),
} as const;

async function answerTo(
  way: keyof typeof ways,
  pieces: readonly Uint8Array[],
): Promise<WireResult> {
  script = pieces;
  return ways[way]();
}

const textTo = async (way: keyof typeof ways, text: string): Promise<WireResult> =>
  answerTo(way, [Buffer.from(text, 'latin1')]);

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(places.map((place) => place % bytes.length)), bytes.length].toSorted(
    (one, other) => one - other,
  );
  return ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
}

const cuts = fc.array(fc.nat(400), { maxLength: 5 });
const body = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(fc.string({ unit: 'grapheme', maxLength: 8 }))
    .map((list) => list.map((data) => `data: ${data}\n\n`).join('')),
);

describe.for(['raw', 'ordinary'] as const)('%s', (way) => {
  test('the same bytes in any pieces are the same answer', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), cuts, cuts, async (text, isChunked, places, others) => {
        const bytes = Buffer.from(text);
        const sent = isChunked
          ? Buffer.concat([
              ...cut(Buffer.concat([bytes, Buffer.from('.')]), others).flatMap((piece) =>
                piece.length === 0
                  ? []
                  : [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')],
              ),
              Buffer.from('0\r\n\r\n'),
            ])
          : Buffer.concat([bytes, Buffer.from('.')]);
        const framing = isChunked
          ? 'Transfer-Encoding: chunked'
          : `Content-Length: ${bytes.length + 1}`;
        const head = `HTTP/1.1 200 Fine\r\nX-One: 1\r\nx-two: 2\r\n${framing}\r\n\r\n`;
        const whole = Buffer.concat([Buffer.from(head), sent]);
        const result = await answerTo(way, cut(whole, places));
        expect(result.ending).toBe('complete');
        expect(Buffer.from(result.response?.body ?? []).toString()).toBe(`${text}.`);
        expect(result.response?.headers.slice(0, 2)).toEqual([
          ['X-One', '1'],
          ['x-two', '2'],
        ]);
        const joined = Buffer.concat(result.response?.chunks.map(({ bytes: one }) => one) ?? []);
        expect(joined.toString()).toBe(`${text}.`);
      }),
      { numRuns: 60 },
    );
  });

  test('an answer that is cut anywhere is never taken for a whole one', async () => {
    const whole = Buffer.from('HTTP/1.1 200 Fine\r\nContent-Length: 12\r\n\r\n{"data": 1 }');
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        const result = await answerTo(way, [whole.subarray(0, length)]);
        expect(['cut-short', 'reset']).toContain(result.ending);
      }),
      { numRuns: 40 },
    );
  });

  test('no bytes make it throw', async () => {
    const like = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'Content-Length: 3\r\n',
      '\r\n',
      'abc',
      ':',
    );
    const piece = fc.oneof(
      like.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const result = await answerTo(way, pieces);
        const isExplained = result.ending === 'complete' ? result.response : result.cause;
        expect(isExplained ?? '').not.toBe('');
      }),
      { numRuns: 100 },
    );
  });
});

const BODY = '{"a":1}';
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';

const malformed: Readonly<Record<string, string>> = {
  'a blank before the colon': `${OK}Content-Length : ${BODY.length}\r\n\r\n${BODY}`,
  'two lengths': `${OK}${LENGTH}Content-Length: 3\r\n\r\n${BODY}`,
  'a length beside chunks': `${OK}${LENGTH}${CHUNKED}\r\n7\r\n${BODY}\r\n0\r\n\r\n`,
  'lines that end in LF alone': `HTTP/1.1 200 OK\nContent-Length: ${BODY.length}\n\n${BODY}`,
  'NUL in a value': `${OK}X-A: a\0b\r\n${LENGTH}\r\n${BODY}`,
  'a length that is no number': `${OK}Content-Length: seven\r\n\r\n${BODY}`,
  'rubbish behind the size of a chunk': `${OK}${CHUNKED}\r\n7 rubbish\r\n${BODY}\r\n0\r\n\r\n`,
  'a status of four digits': `HTTP/1.1 2000 OK\r\n${LENGTH}\r\n${BODY}`,
  'a line without a colon': `${OK}no colon\r\n${LENGTH}\r\n${BODY}`,
  'a folded header': `${OK}X-A: one\r\n two\r\n${LENGTH}\r\n${BODY}`,
  'a length with a sign': `${OK}Content-Length: +${BODY.length}\r\n\r\n${BODY}`,
  'another version of HTTP': `HTTP/1.2 200 OK\r\n${LENGTH}\r\n${BODY}`,
};

test.for([
  ['two lengths', malformed['two lengths']],
  ['a length beside chunks', malformed['a length beside chunks']],
  [
    'a switch that nobody asked for',
    'HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  ],
])('%s is malformed to an ordinary request', async ([, answer = '']) => {
  expect((await textTo('ordinary', answer)).ending).toBe('malformed');
});

describe('an answer with', () => {
  test.each(Object.keys(malformed))('%s is malformed', async (what) => {
    const answer = malformed[what] ?? '';
    expect((await textTo('raw', answer)).ending).toBe('malformed');
    expect((await textTo('ordinary', answer)).ending).not.toBe('complete');
  });

  test.each(Object.keys(malformed))('%s passes the proxy, and is no exchange', async (what) => {
    const answer = malformed[what] ?? '';
    script = [Buffer.from(answer, 'latin1')];
    const { proxy, port, exchanges } = await observed(listener.port);
    const client = dialled(port);
    client.write(REQUEST);
    expect(await until(client, answer.slice(-5))).toBe(answer);
    client.end();
    await new Promise((closed) => client.once('close', closed));
    await proxy.close(0);
    expect(exchanges.filter(({ ending }) => ending === 'complete')).toEqual([]);
    expect(proxy.counts().notHttp).toBe(1);
  });
});

test.for(['raw', 'ordinary'] as const)(
  'what is no HTTP is shown, but for a word that is cut off (%s)',
  async (way) => {
    const greeting = `220 mail "example" ESMTP\r\n${'more '.repeat(10)}sk-${'secret'.repeat(20)}`;
    const { ending, cause } = await textTo(way, greeting);
    expect(ending).toBe('malformed');
    expect(cause).toContain(String.raw`it sent "220 mail \"example\" ESMTP\r\nmore more`);
    expect(cause).not.toContain('sk-');
  },
);

test.each(['raw', 'ordinary'] as const)(
  'header lines keep their order and spelling, and interim answers are skipped: %s',
  async (way) => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
    const unasked = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2);
    const answer = `${unasked}${early}${OK}x-B: 2\r\nX-a:1\r\nx-B: 3\r\n${LENGTH}\r\n${BODY}`;
    const { ending, response } = await textTo(way, answer);
    expect(ending).toBe('complete');
    expect(response?.headers.slice(0, 3)).toEqual([
      ['x-B', '2'],
      ['X-a', '1'],
      ['x-B', '3'],
    ]);
    expect(Buffer.from(response?.body ?? []).toString()).toBe(BODY);
  },
);

test('a body without a length ends with the connection, one with a length does not', async () => {
  expect((await textTo('raw', `${OK}\r\n${BODY}`)).ending).toBe('complete');
  const part = await textTo('raw', `${OK}Content-Length: 99\r\n\r\n${BODY}`);
  expect(part.ending).toBe('cut-short');
  expect(Buffer.from(part.response?.body ?? []).toString()).toBe(BODY);
});
