import { assert, property, sample } from 'fast-check';
import { expect, test } from 'vitest';
import { negativeSize, servedSize, sizeAbove } from './page-size.ts';

test('sizes keep to their side of the bounds', () => {
  const bounds = { minimum: 1, maximum: 200 };
  assert(property(servedSize(bounds), (size) => size >= 1 && size <= 200));
  assert(property(sizeAbove(200), (size) => BigInt(size) > 200n));
  assert(property(negativeSize, (size) => BigInt(size) < 0n));
});

test('some sizes overflow 64 bits', () => {
  const sizes = sample(sizeAbove(200), { numRuns: 200, seed: 1 });
  expect(sizes.some((size) => BigInt(size) >= 2n ** 64n)).toBe(true);
});
