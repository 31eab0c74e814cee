import { expect, test } from 'vitest';
import { isCodeInAnyCase } from './regions.ts';

test.each([
  ['UAE', true],
  ['uae', true],
  ['Fr', true],
  ['uae-1', false],
  ['dubai-2', false],
  ['', false],
])('whether %j may be read as a region code', (text, expected) => {
  expect(isCodeInAnyCase(text)).toBe(expected);
});
