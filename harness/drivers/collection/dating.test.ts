import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Query } from '../compute/api.ts';
import { createdApart, findBoundary, findSpan, instant, meetsWithin } from './dating.ts';
import { readWindow } from './reading.ts';

const [ONE, OTHER] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
];
const MS = Date.UTC(2026, 0, 5, 10, 20, 30, 123);

interface Reading {
  /** Nanoseconds that dates are truncated to. */
  readonly unit?: number;
  /** True when a begin date excludes what was created at that instant. */
  readonly isExclusive?: boolean;
  /** Most digits of a second that a date may have. */
  readonly mostDigits?: number;
}

/** An account by the creation times of its instances, in nanoseconds after `MS`; `listed` gives the ids at each call. */
function account(
  created: Readonly<Record<string, number>>,
  listed: (call: number) => string[],
  { unit = 1, isExclusive = false, mostDigits = 9 }: Reading = {},
) {
  let calls = 0;
  const list = async (query: Query = {}): Promise<Exchange> => {
    calls += 1;
    const dateOf = (name: string): string | undefined => {
      const value = typeof query === 'string' ? undefined : query[name];
      return typeof value === 'string' ? value : undefined;
    };
    const [begin, end] = [dateOf('date_range_begin'), dateOf('date_range_end')];
    if ([begin, end].some((date) => (date?.split('.')[1]?.length ?? 0) > mostDigits + 1)) {
      return exchangeOf({ status: 400 });
    }
    const cut = (date: string): number => Math.floor(sinceMs(date) / unit) * unit;
    const ids = listed(calls).filter((id) => {
      const at = created[id] ?? 0;
      return (
        (begin === undefined || (isExclusive ? at > cut(begin) : at >= cut(begin))) &&
        (end === undefined || at <= cut(end))
      );
    });
    const data = ids.map((id) => listRecord({ instance_id: id }));
    return exchangeOf({ body: { data, pagination: { next: null, size: 200 } } });
  };
  return { list };
}

/** Nanoseconds from `MS` to a date with three, six or nine digits of a second. */
function sinceMs(date: string): number {
  const [seconds = '', fraction = ''] = date.slice(0, -1).split('.');
  const wholeMs = Date.parse(`${seconds}.${fraction.slice(0, 3)}Z`);
  return (wholeMs - MS) * 1_000_000 + Number(fraction.slice(3).padEnd(6, '0'));
}

const always =
  (...ids: readonly string[]) =>
  () => [...ids];

test('a creation is found to the millisecond', async () => {
  const { lastBegin, firstEnd } = await findBoundary(account({ [ONE]: 0 }, always(ONE)), ONE);
  expect([lastBegin, firstEnd]).toEqual([MS, MS]);
});

test('the middle of a span tells instances apart, also those of last month and of now', async () => {
  const month = 30 * 86_400_000;
  const created = { [ONE]: (Date.now() - MS) * 1e6, [OTHER]: (Date.now() - month - MS) * 1e6 };
  const api = account(created, always(ONE, OTHER));
  const { from, to } = await findSpan(api, [ONE, OTHER]);
  const after = await readWindow(api, { date_range_begin: instant((from + to) / 2) });
  expect(after.ids).toEqual([ONE]);
});

test('what goes away while it is dated has no boundary', async () => {
  const vanishing = account({ [ONE]: 0 }, (call) => (call < 10 ? [ONE] : []));
  await expect(findBoundary(vanishing, ONE)).rejects.toThrow('disappeared');
});

test('finer times meet within their millisecond', async () => {
  const fine = account({ [ONE]: 456_789 }, always(ONE));
  const boundary = await findBoundary(fine, ONE);
  expect([boundary.lastBegin, boundary.firstEnd]).toEqual([MS, MS + 1]);
  const meeting = await meetsWithin(fine, ONE, boundary);
  expect(meeting).toMatchObject({
    outcome: 'met',
    around: ['2026-01-05T10:20:30.123456789Z', '2026-01-05T10:20:30.123456790Z'],
  });
});

test('what went away meets nothing and misses nothing', async () => {
  const boundary = await findBoundary(account({ [ONE]: 456_789 }, always(ONE)), ONE);
  for (const left of [0, 1, 22]) {
    const vanishing = account({ [ONE]: 456_789 }, (call) => (call <= left ? [ONE] : []));
    expect((await meetsWithin(vanishing, ONE, boundary)).outcome).toBe('unread');
  }
});

const outcome = async (created: number, reading: Reading) => {
  const of = account({ [ONE]: created }, always(ONE), reading);
  return (await meetsWithin(of, ONE, await findBoundary(of, ONE))).outcome;
};

test.each([
  ['nanoseconds', 456_789, {}, 'missed'],
  ['ticks of a hundred nanoseconds', 456_700, { unit: 100 }, 'missed'],
  ['microseconds', 456_000, { unit: 1_000 }, 'unread'],
  ['milliseconds', 0, { unit: 1_000_000 }, 'unread'],
  ['milliseconds, read as floating numbers', 244, {}, 'unread'],
  ['ten microseconds', 450_000, { unit: 10_000 }, 'unread'],
  ['microseconds, where nanoseconds are refused', 456_000, { mostDigits: 6 }, 'unread'],
])('a begin that is exclusive in %s: %j, %j', async (_, created, reading, told) => {
  expect(await outcome(created, { ...reading, isExclusive: true })).toBe(told);
});

test.each([
  ['that read milliseconds of finer times tell nothing', 456_789, { unit: 1_000_000 }, 'unread'],
  ['that read microseconds of finer times tell nothing', 456_789, { unit: 1_000 }, 'unread'],
  ['that refuse nanoseconds are asked for microseconds', 456_000, { mostDigits: 6 }, 'met'],
])('filters %s', async (_, created, reading, told) => {
  expect(await outcome(created, reading)).toBe(told);
});

test('two that no instant tells apart were created together', async () => {
  for (const apart of [5_000_000, 0]) {
    const of = account({ [ONE]: 0, [OTHER]: apart }, always(ONE, OTHER));
    expect(await createdApart(of, ONE, OTHER)).toBe(apart > 0);
  }
});

test('one that goes away is not told apart by that', async () => {
  const vanishing = account({ [ONE]: 0, [OTHER]: 0 }, (call) => (call < 5 ? [ONE, OTHER] : [ONE]));
  expect(await createdApart(vanishing, ONE, OTHER)).toBe(false);
});

test('two are told apart where the older one stands on a later page', async () => {
  const created = { [ONE]: 5_000_000, [OTHER]: 0 };
  const small = account(created, always(ONE, OTHER));
  const list = async (query: Query = {}): Promise<Exchange> => {
    if (typeof query === 'string' || query['date_range_begin'] !== undefined) {
      return small.list(query);
    }
    const [id, next] = query['cursor'] === undefined ? [ONE, 'more'] : [OTHER, null];
    const data = [listRecord({ instance_id: id })];
    return exchangeOf({ body: { data, pagination: { next, size: 1 } } });
  };
  expect(await createdApart({ list }, ONE, OTHER)).toBe(true);
});
