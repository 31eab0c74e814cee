import { describe, expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { presetContent, presetNames, presetsOf, presetValue } from './presets.ts';
import { verdictsOf } from './verdicts.test.support.ts';
import { parseExactly } from '../../exchange/body.ts';

describe('presets', () => {
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
});

describe('preset names', () => {
  const bindings = { presets: { items: 'data', fields: { sku: 'name', region: 'region' } } };

  test('a price and a member of its own do not change the name of a preset', () => {
    const name = (more: object) => presetNames([{ name: 'one', region: 'FR', ...more }], bindings);
    expect(name({ price: 1, left: 3 })).toEqual(name({ price: 2, left: 4 }));
    expect(name({})).not.toEqual(presetNames([{ name: 'one', region: 'US' }], bindings));
  });

  test('without a bound id or SKU name presets have none', () => {
    expect(presetNames([{ name: 'one' }], undefined)).toBeUndefined();
    expect(
      presetNames([{ name: 'one' }], { presets: { items: 'data', fields: { gpu: 'gpu' } } }),
    ).toBeUndefined();
  });

  test('ids that are one number as doubles name two presets', () => {
    const bound = { presets: { items: 'data', fields: { id: 'id' } } };
    const names = presetNames(
      ['9007199254740993', '9007199254740992'].map((digits) => ({ id: parseExactly(digits) })),
      bound,
    );
    expect(new Set(names).size).toBe(2);
  });

  test('where the id is bound, only what is bound and stays is the content of a preset', () => {
    const bound = { presets: { items: 'data', fields: { id: 'id', cpu: 'cpu', price: 'price' } } };
    const content = (more: object) => presetContent({ id: 'a', cpu: 1, ...more }, bound);
    expect(content({ left: 3 })).toBe(content({ left: 4 }));
    expect(content({ price: 2 })).toBe(content({}));
    expect(content({ cpu: 2 })).not.toBe(content({}));
    const whole = (left: number) => presetContent({ name: 'one', left }, bindings);
    expect(whole(3)).not.toBe(whole(4));
  });
});
