import { assert, property, sample } from 'fast-check';
import { expect, test } from 'vitest';
import {
  withInstanceFilters,
  withPresetFilters,
  halvesOf,
  instants,
  negativeSize,
  oddQuery,
  oddText,
  servedSize,
  sizeAbove,
} from './lists.ts';

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

test('odd text can be escaped for a URL', () => {
  assert(property(oddText, (text) => decodeURIComponent(encodeURIComponent(text)) === text));
});

test('an odd query is visible ASCII and speaks of the parameters', () => {
  assert(
    property(oddQuery('size', 'cursor'), (query) => {
      expect(query).toMatch(/^[!-~]+$/u);
      expect(query).toMatch(/size|cursor/u);
    }),
  );
});

test.each([2, 3, 4, 5, 6])(
  'of %i things any two are in one half, and two halves are all',
  (count) => {
    const things = Array.from({ length: count }, (_, index) => index);
    const halves = halvesOf(things);
    for (const one of things)
      for (const other of things)
        expect(halves.some((half) => half.includes(one) && half.includes(other))).toBe(true);
    for (let at = 0; at < halves.length; at += 2)
      expect(new Set(halves.slice(at, at + 2).flat())).toEqual(new Set(things));
  },
);

test('two instants lie in the span, the earlier one first', () => {
  assert(property(instants(10, 20), ([early, late]) => 10 <= early && early <= late && late <= 20));
});

test('what is asked for stands beside the rest, and in its place', () => {
  const query = withInstanceFilters({ status: 'no-such-state', size: '201' });
  expect(query).toMatchObject({ status: 'no-such-state', size: '201', sort_field: 'NAME' });
});

test('the filters of presets have the names that the bindings give them', () => {
  const filters = { sku: 'sku', freeText: 'q' };
  const bound = withPresetFilters({ size: '0' }, { presets: { filters } });
  expect(Object.keys(bound).join(' ')).toBe('region sku q sort_field sort_direction size');
  const unbound = withPresetFilters({ sort_field: 'NO' }, {});
  expect(unbound).toEqual({ region: 'US', sort_field: 'NO', sort_direction: 'ASC' });
});
