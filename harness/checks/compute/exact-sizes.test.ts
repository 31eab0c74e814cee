import { expect, test } from 'vitest';
import { exactSizes } from './exact-sizes.ts';

test.each([
  [72, 12, [72, 36, 24, 18, 12, 9, 8, 6]],
  [7, 12, [7, 1]],
  [13, 12, [13]],
  [0, 12, []],
  [1, 12, [1]],
  [600, 3, [200]],
  [600, 4, [200, 150]],
])('%i items in at most %i pages: %j', (length, mostPages, sizes) => {
  expect(exactSizes(length, mostPages)).toEqual(sizes);
});
