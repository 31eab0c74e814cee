import { expect, test } from 'vitest';
import { inversions } from './inversions.ts';

const pairs = (expected: string, actual: string, most = 9) =>
  inversions(Array.from(expected), Array.from(actual), most)?.map(
    ({ first, second }) => `${first}${second}`,
  );

test.each([
  ['abcd', 'abcd', []],
  ['abcd', 'acbd', ['bc']],
  ['abcdef', 'bacdfe', ['ab', 'ef']],
  ['abcde', 'aedcb', ['be']],
  ['abc', 'cab', ['ac']],
])('from %s to %s, one pair of each stretch: %j', (expected, actual, found) => {
  expect(pairs(expected, actual)).toEqual(found);
});

test.each([
  ['abc', 'ab'],
  ['ab', 'abc'],
  ['abc', 'abd'],
  ['abc', 'aab'],
  ['aab', 'aba'],
])('%s and %s differ by more than their order', (expected, actual) => {
  expect(pairs(expected, actual)).toBeUndefined();
});

test('of many stretches a few from all over the list', () => {
  expect(pairs('abcdefghij', 'badcfehgji', 2)).toEqual(['ab', 'gh']);
});
