import { expect, test } from 'vitest';

import { differenceOf, type TextPart } from './model/difference.ts';

function marked(parts: readonly TextPart[]): string {
  return parts.map(({ text, same }) => (same ? text : `[${text}]`)).join('');
}

test.for<[string, string, string, string]>([
  ['status 400', 'status 200', 'status [400]', 'status [200]'],
  ['a b c', 'a c', 'a [b ]c', 'a c'],
  ['same', 'same', 'same', 'same'],
  ['', 'all new', '', '[all new]'],
  ['{"a":1,"b":2}', '{"a":3,"b":4}', '{"a":[1],"b":[2]}', '{"a":[3],"b":[4]}'],
])('marks what differs between %j and %j', ([expected, actual, left, right]) => {
  const difference = differenceOf(expected, actual);
  expect([marked(difference.expected), marked(difference.actual)]).toEqual([left, right]);
});

test('the parts put together are the texts, also where they are too long to compare word by word', () => {
  const expected = `start ${'a '.repeat(2_000)}end`;
  const actual = `start ${'b '.repeat(2_000)}end`;
  const difference = differenceOf(expected, actual);
  expect(difference.expected.map(({ text }) => text).join('')).toBe(expected);
  expect(difference.actual.map(({ text }) => text).join('')).toBe(actual);
  expect(difference.actual[0]).toEqual({ text: 'start ', same: true });
});
