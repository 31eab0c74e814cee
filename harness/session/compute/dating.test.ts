import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Query } from './api.ts';
import { createdApart, findBoundary, meetsWithin } from './dating.ts';

const [ONE, OTHER] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
];
const MS = Date.UTC(2026, 0, 5, 10, 20, 30, 123);

/** An account by the creations of its instances, in nanoseconds after `MS`; `listed` says who is left at a call. */
function account(created: Readonly<Record<string, number>>, listed: (call: number) => string[]) {
  let calls = 0;
  const list = async (query: Query = {}): Promise<Exchange> => {
    calls += 1;
    const dateOf = (name: string): string | undefined => {
      const value = typeof query === 'string' ? undefined : query[name];
      return typeof value === 'string' ? value : undefined;
    };
    const [begin, end] = [dateOf('date_range_begin'), dateOf('date_range_end')];
    const ids = listed(calls).filter((id) => {
      const at = created[id] ?? 0;
      return (
        (begin === undefined || at >= sinceMs(begin)) && (end === undefined || at <= sinceMs(end))
      );
    });
    const data = ids.map((id) => listRecord({ instance_id: id }));
    return exchangeOf({ body: { data, pagination: { next: null, size: 200 } } });
  };
  return { list };
}

/** Nanoseconds from `MS` on to a date with three or nine digits of a second. */
function sinceMs(date: string): number {
  const [seconds = '', fraction = ''] = date.slice(0, -1).split('.');
  const wholeMs = Date.parse(`${seconds}.${fraction.slice(0, 3)}Z`);
  return (wholeMs - MS) * 1_000_000 + Number(fraction.slice(3));
}

const always =
  (...ids: readonly string[]) =>
  () => [...ids];

test('a creation is found to the millisecond', async () => {
  const { lastBegin, firstEnd } = await findBoundary(account({ [ONE]: 0 }, always(ONE)), ONE);
  expect([lastBegin, firstEnd]).toEqual([MS, MS]);
});

test('what goes away while it is dated has no boundary', async () => {
  const vanishing = account({ [ONE]: 0 }, (call) => (call < 10 ? [ONE] : []));
  await expect(findBoundary(vanishing, ONE)).rejects.toThrow('went away');
});

test('finer times meet within their millisecond', async () => {
  const fine = account({ [ONE]: 456_789 }, always(ONE));
  const boundary = await findBoundary(fine, ONE);
  expect([boundary.lastBegin, boundary.firstEnd]).toEqual([MS, MS + 1]);
  expect(await meetsWithin(fine, ONE, boundary)).toBe(true);
  expect(await meetsWithin(account({ [ONE]: 456_789 }, always()), ONE, boundary)).toBe(false);
});

test('two that no instant tells apart were created together', async () => {
  const both = always(ONE, OTHER);
  expect(await createdApart(account({ [ONE]: 0, [OTHER]: 5_000_000 }, both), ONE, OTHER)).toBe(
    true,
  );
  expect(await createdApart(account({ [ONE]: 0, [OTHER]: 0 }, both), ONE, OTHER)).toBe(false);
});

test('one that goes away is not told apart by that', async () => {
  const vanishing = account({ [ONE]: 0, [OTHER]: 0 }, (call) => (call < 5 ? [ONE, OTHER] : [ONE]));
  expect(await createdApart(vanishing, ONE, OTHER)).toBe(false);
});
