import { expect, test } from 'vitest';
import { movedAhead, overtaken } from './kept-place.ts';

test.each([
  ['abc', 'abc', ''],
  ['abc', 'xabc', ''],
  ['abc', 'bac', 'a'],
  ['abcd', 'cabd', ''],
  ['ab', 'ba', 'a'],
  ['axb', 'bxa', 'ax'],
  ['ab', 'b', ''],
  ['a', 'ba', ''],
  ['ab', 'a', ''],
])('b, in %s and then in %s, overtook "%s"', (before, after, others) => {
  expect(overtaken('b', before.split(''), after.split('')).join('')).toBe(others);
});

test('who was overtaken is told', () => {
  const { violations } = movedAhead('b', 'a', 'after it was stopped');
  expect(violations[0]?.message).toBe(
    'An instance changed its place in the default order after it was stopped.',
  );
});
