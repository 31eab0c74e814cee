import { expect, test } from 'vitest';
import type { Part } from './selection.ts';
import { steadyItems } from './steady-items.ts';

function part(ids: string): Part {
  return {
    ids: Array.from(ids),
    records: Array.from(ids, (id) => ({ id })),
    exchanges: [],
    end: 'last-page',
  };
}

test('what came or went while a walk was made is left out, and so is what it has twice', () => {
  const steady = steadyItems(part('abxcbd'), part('abcd'), part('abxd'));
  expect(steady.ids.join('')).toBe('ad');
  expect(steady.records).toEqual([{ id: 'a' }, { id: 'd' }]);
});

test('where nothing came or went everything stays, also what comes twice', () => {
  const walk = part('abcb');
  expect(steadyItems(walk, part('cba'), part('abc'))).toEqual(walk);
});
