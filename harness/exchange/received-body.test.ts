import { describe, expect, test } from 'vitest';
import { ReceivedBody } from './received-body.ts';

const MEGABYTE = 1024 * 1024;

/** A body of these pieces, each written as `BYTES@MILLISECONDS`. */
function received(limit: number, pieces: string) {
  const body = new ReceivedBody(limit);
  for (const piece of pieces.split(' ')) {
    const [bytes = 0, atMs = 0] = piece.split('@').map(Number);
    body.add(Buffer.alloc(bytes, 'a'), atMs);
  }
  return body;
}

/** A number of one-byte pieces, `apartMs` milliseconds apart. */
function dripping(pieces: number, apartMs: number): string {
  return Array.from({ length: pieces }, (_, at) => `1@${at * apartMs}`).join(' ');
}

describe('a body that arrives', () => {
  test.for([
    ['in pieces', 100, '3@0 4@5 2@10', [3, 4, 2]],
    ['within a millisecond is one piece', 100, '3@0 4@0.5 2@0.9 1@1', [9, 1]],
    ['beyond its limit keeps no more', 5, '3@0 4@5 2@10', [3, 2]],
    ['with nothing in it has no piece', 5, '0@0', []],
  ] as const)('%s', ([, limit, pieces, sizes]) => {
    const { body, chunks } = received(limit, pieces).taken();
    expect(chunks.map(({ bytes }) => bytes.length)).toEqual(sizes);
    expect(body.length).toBe(sizes.reduce<number>((sum, size) => sum + size, 0));
  });

  test('in many pieces tells the first ones apart alone', () => {
    expect(received(MEGABYTE, dripping(5_000, 2)).taken().chunks.length).toBe(2_000);
  });

  test.for([
    ['fits', `${MEGABYTE}@0`, undefined],
    ['is larger than its limit', `${MEGABYTE}@0 1@0`, /passed 1048576 bytes/u],
    ['comes byte by byte', dripping(100_001, 0), /more than 100000 pieces/u],
  ] as const)('%s: says whether to read on', ([, pieces, excess]) => {
    const problem = received(MEGABYTE, pieces).excess ?? '';
    expect(problem).toMatch(excess ?? /^$/u);
  });

  test('is not read to its end while many large ones are held, unless it is small', () => {
    const sized = (bytes: number) => received(4 * MEGABYTE, `${bytes}@0`);
    const large = Array.from({ length: 50 }, () => sized(2 * MEGABYTE).taken());
    expect(sized(MEGABYTE).excess).toMatch(/large/u);
    expect(sized(1_000).excess).toBeUndefined();
    expect(large.length).toBe(50);
  });

  test('and does not arrive whole keeps its beginning alone', () => {
    const halves = `${MEGABYTE / 2}@0 ${MEGABYTE / 2}@9`;
    const { body, chunks } = received(MEGABYTE, halves).taken(false);
    expect(body.length).toBe(MEGABYTE / 16);
    expect(chunks.map(({ bytes }) => bytes.length)).toEqual([MEGABYTE / 16]);
  });
});
