import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Listing } from './reading.ts';
import { instancesChange, sharedList } from './shared-lists.ts';

const read = (pages: number, end: Listing['end']): Listing => ({
  ids: [],
  records: [],
  exchanges: Array.from({ length: pages }, () => exchangeOf({ body: {} })),
  end,
  readable: true,
});

test('what one case read of the presets stays, and of the instances until one of them is acted on', async () => {
  const session = {};
  for (const what of ['instances', 'presets'] as const) {
    sharedList(session, what, {}, {}).keep(Promise.resolve(read(1, 'last-page')));
    expect(await sharedList(session, what, {}, {}).last()).toBeDefined();
    expect(await sharedList(session, what, { region: 'US' }, {}).last()).toBeUndefined();
    expect(await sharedList({}, what, {}, {}).last()).toBeUndefined();
  }
  instancesChange(session);
  expect(await sharedList(session, 'instances', {}, {}).last()).toBeUndefined();
  expect(await sharedList(session, 'presets', {}, {}).last()).toBeDefined();
});

test('a list that goes on is good for those alone who want as many pages', async () => {
  const session = {};
  const { keep } = sharedList(session, 'instances', {}, { mostPages: 4 });
  keep(Promise.resolve(read(4, 'limit')));
  expect(await sharedList(session, 'instances', {}, { mostPages: 4 }).last()).toBeDefined();
  expect(await sharedList(session, 'instances', {}, { mostPages: 1 }).last()).toBeUndefined();
});

test('a reading that failed is nobody’s', async () => {
  const shared = sharedList({}, 'instances', {}, {});
  shared.keep(Promise.reject(new Error('budget')));
  expect(await shared.last()).toBeUndefined();
});
