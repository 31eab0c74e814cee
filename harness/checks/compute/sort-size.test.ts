import { expect, test } from 'vitest';
import { sizeKey } from './sort-size.ts';

test.each([
  ['h100-sxm-8', '8'],
  ['a100-1', '1'],
  ['4x', '4'],
  ['large', 'large'],
  [7, 7],
])('%s counts as %s', (size, key) => {
  expect(sizeKey(size)).toBe(key);
});
