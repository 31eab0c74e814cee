import { describe, expect, test } from 'vitest';
import { ReceivedBody } from './received-body.ts';

const MEGABYTE = 1024 * 1024;

function received(limit: number, pieces: readonly (readonly [bytes: number, atMs: number])[]) {
  const body = new ReceivedBody(limit);
  for (const [bytes, atMs] of pieces) body.add(Buffer.alloc(bytes, 'a'), atMs);
  return body;
}

/** A number of one-byte pieces, `apartMs` milliseconds apart. */
function dripping(pieces: number, apartMs: number) {
  return Array.from({ length: pieces }, (_, at) => [1, at * apartMs] as const);
}

describe('a body that arrives', () => {
  test.for([
    [
      'in pieces',
      100,
      [
        [3, 0],
        [4, 5],
        [2, 10],
      ],
      [3, 4, 2],
    ],
    [
      'within a millisecond is one piece',
      100,
      [
        [3, 0],
        [4, 0.5],
        [2, 0.9],
        [1, 1],
      ],
      [9, 1],
    ],
    [
      'beyond its limit keeps no more',
      5,
      [
        [3, 0],
        [4, 5],
        [2, 10],
      ],
      [3, 2],
    ],
    ['with nothing in it has no piece', 5, [[0, 0]], []],
  ] as const)('%s', ([, limit, pieces, sizes]) => {
    const { body, chunks } = received(limit, pieces).taken();
    expect(chunks.map(({ bytes }) => bytes.length)).toEqual(sizes);
    expect(body.length).toBe(sizes.reduce<number>((sum, size) => sum + size, 0));
  });

  test('in many pieces tells the first ones apart alone', () => {
    expect(received(MEGABYTE, dripping(5_000, 2)).taken().chunks.length).toBe(2_000);
  });

  test.for([
    ['fits', MEGABYTE, [[MEGABYTE, 0]], undefined],
    [
      'is larger than its limit',
      MEGABYTE,
      [
        [MEGABYTE, 0],
        [1, 0],
      ],
      /passed 1048576 bytes/u,
    ],
    ['comes byte by byte', MEGABYTE, dripping(100_001, 0), /more than 100000 pieces/u],
  ] as const)('%s: says whether to read on', ([, limit, pieces, excess]) => {
    const problem = received(limit, pieces).excess ?? '';
    expect(problem).toMatch(excess ?? /^$/u);
  });

  test('is not read to its end while many large ones are held, unless it is small', () => {
    const large = Array.from({ length: 50 }, () =>
      received(4 * MEGABYTE, [[2 * MEGABYTE, 0]]).taken(),
    );
    expect(received(4 * MEGABYTE, [[MEGABYTE, 0]]).excess).toMatch(/large/u);
    expect(received(4 * MEGABYTE, [[1_000, 0]]).excess).toBeUndefined();
    expect(large.length).toBe(50);
  });

  test('and does not arrive whole keeps its beginning alone', () => {
    const { body, chunks } = received(MEGABYTE, [
      [MEGABYTE / 2, 0],
      [MEGABYTE / 2, 9],
    ]).taken(false);
    expect(body.length).toBe(MEGABYTE / 16);
    expect(chunks.map(({ bytes }) => bytes.length)).toEqual([MEGABYTE / 16]);
  });
});
