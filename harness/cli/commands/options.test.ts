import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { percentNumber, wholeNumber } from './options.ts';

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

it.each([
  ['0', 0],
  ['92.5', 92.5],
  ['100', 100],
])('reads %s as a share', (text, value) => {
  expect(percentNumber(text)).toBe(value);
});

it.each(['-1', '100.1', '90%', '', '1e1'])('refuses "%s" as a share', (text) => {
  expect(() => percentNumber(text)).toThrow(InvalidArgumentError);
});
