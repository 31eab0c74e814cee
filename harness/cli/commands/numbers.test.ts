import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { wholeNumber } from './numbers.ts';

const read = wholeNumber(1, 20);

it.each([
  ['1', 1],
  ['20', 20],
  ['007', 7],
])('reads %s', (text, value) => {
  expect(read(text)).toBe(value);
});

it.each(['0', '21', '-1', '1.5', '1e1', '', 'three', ' 3'])('refuses "%s"', (text) => {
  expect(() => read(text)).toThrow(InvalidArgumentError);
  expect(() => read(text)).toThrow('from 1 to 20');
});
