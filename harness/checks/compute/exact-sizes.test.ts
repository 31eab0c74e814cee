import { expect, test } from 'vitest';
import { exactSizes } from './exact-sizes.ts';

test.each([
  [72, 12, [36, 24, 18, 12, 9, 8, 6]],
  [7, 12, [1]],
  [13, 12, []],
  [0, 12, []],
  [1, 12, []],
  [600, 3, []],
  [600, 4, [150]],
])('%i items in at most %i pages: %j', (length, mostPages, sizes) => {
  expect(exactSizes(length, mostPages)).toEqual(sizes);
});
