import { describe, expect, test } from 'vitest';
import { parseExactly } from '../../exchange/body.ts';
import { testCheck } from '../verdict.test.support.ts';
import { exchangeOf, verdictsOf } from './exchange.test.support.ts';
import { fieldsThere, presetContent, presetNames, presetsOf, presetValue } from './presets.ts';

describe('a page of presets', () => {
  const bindings = { presets: { items: 'results', fields: { price: '$.cost.hour', sku: 'name' } } };
  const preset = { name: 'h100-1', cost: { hour: 2.5 } };
  const pagination = { next: null, size: 2 };
  const page = (results: unknown) =>
    exchangeOf({ path: '/presets', query: 'size=2', body: { results, pagination } });

  test('is read by its bindings', () => {
    expect(presetsOf(page([preset]), bindings)).toEqual([preset]);
    expect(presetValue(preset, 'price', bindings)).toBe(2.5);
    expect(presetValue(preset, 'sku', bindings)).toBe('h100-1');
    expect(presetValue(preset, 'id', bindings)).toBeUndefined();
  });

  test('holds, and is not judged beyond its bindings', () => {
    const { seen, broken } = verdictsOf(page([preset]), { bindings });
    expect(broken).toEqual([]);
    const paged = ['pagination.object-on-presets', 'pagination.page-within-size'];
    const own = ['presets.items-array', 'presets.price-there'];
    expect(seen).toEqual(expect.arrayContaining([...paged, ...own]));
    const unbound = verdictsOf(page(undefined));
    expect(unbound.broken).toEqual([]);
    expect(unbound.seen).not.toContain('presets.items-array');
  });

  test.for([
    [undefined, 'presets.items-array'],
    [{}, 'presets.items-array'],
    [[1], 'presets.items-array'],
    [[{ name: 'h100-1' }], 'presets.price-there'],
    [[preset, preset, preset], 'pagination.page-within-size'],
  ] as const)('with %j is wrong', ([results, requirement]) => {
    expect(verdictsOf(page(results), { bindings }).broken).toEqual([requirement]);
  });

  testCheck(
    'its fields',
    (records: readonly object[]) =>
      fieldsThere({ records: records.map((one) => ({ ...one })), exchanges: [] }, bindings),
    { held: [[preset]], broken: [[preset, { name: null }], [{}]], unseen: [[]] },
  );
});

describe('the name of a preset', () => {
  const fields = { sku: 'name', region: 'region' };
  const bindings = { presets: { items: 'data', fields } };
  const one = { name: 'one', region: 'FR' };

  test('is that of what is bound, without its price', () => {
    const name = (more: object) => presetNames([{ ...one, ...more }], bindings);
    expect(name({ price: 1, left: 3 })).toEqual(name({ price: 2, left: 4 }));
    expect(name({})).not.toEqual(name({ region: 'US' }));
    expect(presetNames([one], undefined)).toBeUndefined();
    const models = { presets: { items: 'data', fields: { gpu: 'gpu' } } };
    expect(presetNames([one], models)).toBeUndefined();
  });

  test('tells ids apart that are one number as doubles', () => {
    const bound = { presets: { items: 'data', fields: { id: 'id' } } };
    const ids = ['9007199254740993', '9007199254740992'];
    const records = ids.map((digits) => ({ id: parseExactly(digits) }));
    expect(new Set(presetNames(records, bound)).size).toBe(2);
  });

  test('and its content is what is bound and stays, where the id is bound', () => {
    const bound = { presets: { items: 'data', fields: { id: 'id', cpu: 'cpu', price: 'price' } } };
    const content = (more: object) => presetContent({ id: 'a', cpu: 1, ...more }, bound);
    expect(content({ left: 3 })).toBe(content({ left: 4 }));
    expect(content({ price: 2 })).toBe(content({}));
    expect(content({ cpu: 2 })).not.toBe(content({}));
    const whole = (left: number) => presetContent({ name: 'one', left }, bindings);
    expect(whole(3)).not.toBe(whole(4));
  });
});
