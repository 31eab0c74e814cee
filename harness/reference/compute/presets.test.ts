import { describe, expect, test } from 'vitest';
import {
  Caller,
  ascendingOrder,
  codeOf,
  column,
  deploy,
  object,
  textOf,
} from './caller.test.support.ts';

const walk = (caller: Caller, parameters: Record<string, string> = {}) =>
  caller.walk('/presets', { size: '7', ...parameters });

describe('presets', () => {
  test('come in one stable order, whatever the page size, the caller or a lone direction', async () => {
    const reference = await deploy();
    const caller = new Caller(reference);
    const all = await walk(caller);
    expect(all.length).toBeGreaterThan(45);
    expect(await walk(caller, { size: '200' })).toEqual(all);
    expect(await walk(caller, { size: '1' })).toEqual(all);
    expect(await caller.walk('/presets')).toEqual(all);
    expect(await walk(caller, { sort_direction: 'DESC' })).toEqual(all);
    expect(await walk(caller, { sort_direction: 'ASC' })).toEqual(all);
    expect(await walk(caller, { sort_direction: 'sideways' })).toEqual(all);
    expect(await walk(new Caller(reference, 'second'))).toEqual(all);
    const first = await caller.get('/presets');
    expect(object(first.json['pagination'])).toMatchObject({ size: 20 });
    const prices = column(all, 'hourly_price').map(Number);
    expect(prices).not.toEqual(prices.toSorted((left, right) => left - right));
    expect(column(all, 'id')).not.toEqual(column(all, 'id').toSorted(ascendingOrder));
    expect(new Set(column(all, 'id')).size).toBe(all.length);
  });

  test('are offered in several regions at different prices', async () => {
    const all = await walk(new Caller(await deploy()));
    const [first] = all;
    const same = all.filter(({ name }) => name === first?.['name']);
    expect(new Set(column(same, 'region')).size).toBeGreaterThan(1);
    expect(new Set(column(same, 'hourly_price')).size).toBeGreaterThan(1);
  });

  test('are filtered by region code, and by a location only where it has no region', async () => {
    const caller = new Caller(await deploy());
    const all = await walk(caller);
    for (const region of ['UAE', 'FR', 'US']) {
      const wanted = all.filter((preset) => preset['region'] === region);
      expect(wanted.length).toBeGreaterThan(3);
      expect(await walk(caller, { region, size: '2' })).toEqual(wanted);
    }
    const unmapped = all.filter(({ location }) => location === 'lab-1');
    expect(column(unmapped, 'region')).toEqual(unmapped.map(() => null));
    expect(unmapped.length).toBeGreaterThan(1);
    expect(await walk(caller, { region: 'lab-1' })).toEqual(unmapped);
    for (const region of ['paris-1', 'nowhere', 'FR ', 'null', 'undefined']) {
      expect(await walk(caller, { region })).toEqual([]);
    }
  });

  test('are filtered by the exact SKU and by free text', async () => {
    const caller = new Caller(await deploy());
    const all = await walk(caller);
    for (const sku of new Set(column(all, 'name'))) {
      const wanted = all.filter(({ name }) => name === sku);
      expect(await walk(caller, { sku: textOf(sku), size: '1' })).toEqual(wanted);
      expect(await walk(caller, { free_text_search: textOf(sku) })).toEqual(wanted);
    }
    expect(await walk(caller, { sku: '1x-h10' })).toEqual([]);
    for (const [member, text] of [
      ['gpu', 'MI300X'],
      ['location', 'dallas-3'],
    ] as const) {
      const wanted = all.filter((preset) => preset[member] === text);
      expect(wanted.length).toBeGreaterThan(1);
      expect(await walk(caller, { free_text_search: text, size: '3' })).toEqual(wanted);
    }
    expect(await walk(caller, { free_text_search: 'xyzzy' })).toEqual([]);
  });

  test.for([
    ['REGION', 'region'],
    ['LOCATION', 'location'],
    ['GPU', 'gpu'],
    ['CPU', 'cpu'],
    ['MEMORY', 'memory'],
    ['STORAGE', 'storage'],
    ['HOURLY_PRICE', 'hourly_price'],
    ['ID', 'id'],
  ] as const)('are sorted by %s, ascending unless told', async ([sortField, member]) => {
    const caller = new Caller(await deploy());
    const all = await walk(caller);
    const ascending = await walk(caller, { sort_field: sortField, sort_direction: 'ASC' });
    const descending = await walk(caller, { sort_field: sortField, sort_direction: 'DESC' });
    const values = column(ascending, member);
    const inOrder = values.toSorted(ascendingOrder);
    expect(values).toEqual(inOrder);
    expect(values).not.toEqual(column(all, member));
    expect(column(descending, member)).toEqual(values.toReversed());
    expect(await walk(caller, { sort_field: sortField })).toEqual(ascending);
    expect(column(ascending, 'id').toSorted(ascendingOrder)).toEqual(
      column(all, 'id').toSorted(ascendingOrder),
    );
  });

  test.for([
    { size: '0' },
    { size: '201' },
    { size: '-1' },
    { size: '1.5' },
    { size: 'abc' },
    { size: '2147483648' },
    { sort_field: 'PRICE' },
    { sort_field: 'ID', sort_direction: 'sideways' },
    { free_text_search: 'a'.repeat(256) },
    { cursor: 'garbage' },
  ])('are not given for %o', async (parameters) => {
    const answer = await new Caller(await deploy()).get('/presets', parameters);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

test('regions are the three codes, for everybody', async () => {
  const reference = await deploy();
  for (const role of ['primary', 'second', 'empty']) {
    const { status, text } = await new Caller(reference, role).get('/regions');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      [{ name: 'UAE' }, { name: 'FR' }, { name: 'US' }],
    ]);
  }
});
