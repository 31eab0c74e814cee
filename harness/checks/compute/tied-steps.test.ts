import { expect, test } from 'vitest';
import { stepsBothWays } from './tied-steps.ts';

/** `b2` is the item b2 with the key b. */
const list = (text: string) => text.split(' ').map((id) => ({ id, key: id.slice(0, 1) }));

test.each([
  ['one is the reverse of the other', 'a1 b1 c1', 'c1 b1 a1', 3],
  ['items with one key are a tie', 'a1 a2 b1', 'b1 a1 a2', 2],
  ['two keys of one weight are a tie', 'a1 b1 c1 d1', 'c1 d1 a1 b1', 2],
  ['what stands between a tie is tied', 'a1 b1 a2 c1', 'c1 a2 b1 a1', 2],
  ['the same order in both is one tie', 'a1 b1 c1', 'a1 b1 c1', 1],
  ['keys that come back all over are one tie', 'a1 b1 c1 a2', 'a2 c1 b1 a1', 1],
  ['ties that overlap are one', 'a1 b1 a2 c1 b2', 'b2 c1 a2 b1 a1', 1],
  ['nothing in common', 'a1 b1', 'c1 d1', 0],
] as const)('%s', (_, up, down, steps) => {
  expect(stepsBothWays(list(up), list(down))).toBe(steps);
});

test('an item that changed its key is left out', () => {
  const down = [
    { id: 'b1', key: 'b' },
    { id: 'a1', key: 'z' },
  ];
  expect(stepsBothWays(list('a1 b1'), down)).toBe(1);
});
