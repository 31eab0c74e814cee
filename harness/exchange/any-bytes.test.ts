/** However the bytes of an answer come, and whatever they are: the same bytes are the same exchange, and none is a crash. */

import { createServer } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from './raw-transport.ts';
import { createTransport, type WireResult } from './transport.ts';
import { type Listening, listening } from './listening.test.support.ts';

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
let listener: Listening;
let origin = '';

beforeAll(async () => {
  listener = await listening(server);
  origin = `http://127.0.0.1:${listener.port}`;
});
afterAll(async () => {
  await transport.close();
  await listener.close();
});

const bounds = { timeoutMs: 5_000, maxBytes: 100_000 };

/** The two ways in which a request leaves. */
const ways = {
  raw: async () =>
    sendRaw({ origin, pieces: [Buffer.from('GET / HTTP/1.1\r\nHost: here\r\n\r\n')], ...bounds }),
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

/** The bytes cut at these places. */
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
