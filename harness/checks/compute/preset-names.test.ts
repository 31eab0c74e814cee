import { expect, test } from 'vitest';
import { parseExactly } from '../../exchange/body.ts';
import { presetContent, presetNames } from './preset-names.ts';

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

test('where the id is bound, only what is bound is the content of a preset', () => {
  const bound = { presets: { items: 'data', fields: { id: 'id', price: 'price' } } };
  const content = (more: object) => presetContent({ id: 'a', price: 1, ...more }, bound);
  expect(content({ left: 3 })).toBe(content({ left: 4 }));
  expect(content({ price: 2 })).not.toBe(content({}));
  const whole = (left: number) => presetContent({ name: 'one', left }, bindings);
  expect(whole(3)).not.toBe(whole(4));
});
