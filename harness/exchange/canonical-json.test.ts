import { expect, test } from 'vitest';
import { canonicalJson, canonicalSets } from './canonical-json.ts';

test('members have no order, items have', () => {
  expect(canonicalJson({ a: 1, b: { c: [1, 2], 10: null } })).toBe(
    canonicalJson({ b: { 10: null, c: [1, 2] }, a: 1 }),
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
  expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson([['a', 1]]));
  expect(canonicalJson(undefined)).toBe('undefined');
});

test('sets have no order, and count their items', () => {
  expect(canonicalSets({ codes: [{ a: 1, b: 2 }, 'FR'] })).toBe(
    canonicalSets({ codes: ['FR', { b: 2, a: 1 }] }),
  );
  expect(canonicalSets(['FR', 'FR'])).not.toBe(canonicalSets(['FR']));
});

test('a value without end of nesting is read all the same', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
  expect(canonicalJson(deep)).toContain('deep');
});
