import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { presetValue, presetsOf } from './presets.ts';
import { verdictsOf } from './verdicts.test.support.ts';

const bindings = { presets: { items: 'results', fields: { price: '$.cost.hour', sku: 'name' } } };
const preset = { name: 'h100-1', cost: { hour: 2.5 } };

function page(results: unknown) {
  return exchangeOf({
    path: '/presets',
    query: 'size=2',
    body: { results, pagination: { next: null, size: 2 } },
  });
}

test('presets are read by their bindings', () => {
  const [first] = presetsOf(page([preset]), bindings) ?? [];
  expect(first).toEqual(preset);
  expect(presetValue(preset, 'price', bindings)).toBe(2.5);
  expect(presetValue(preset, 'sku', bindings)).toBe('h100-1');
  expect(presetValue(preset, 'id', bindings)).toBeUndefined();
});

test('a page of presets holds', () => {
  const { seen, broken } = verdictsOf(page([preset]), { bindings });
  expect(broken).toEqual([]);
  expect(seen).toEqual(
    expect.arrayContaining([
      'pagination.object-on-presets',
      'pagination.page-within-size',
      'presets.items-array',
      'presets.price-there',
    ]),
  );
});

test.each([
  [undefined, 'presets.items-array'],
  [{}, 'presets.items-array'],
  [[1], 'presets.items-array'],
  [[{ name: 'h100-1' }], 'presets.price-there'],
  [[preset, preset, preset], 'pagination.page-within-size'],
])('%j is wrong', (results, requirement) => {
  expect(verdictsOf(page(results), { bindings }).broken).toEqual([requirement]);
});

test('without bindings the items are not judged', () => {
  const { seen, broken } = verdictsOf(page(undefined));
  expect(broken).toEqual([]);
  expect(seen).not.toContain('presets.items-array');
});
