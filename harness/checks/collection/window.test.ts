import { expect, test } from 'vitest';
import { bothBounds, instantInBoth, windows, type WindowSight } from './window.ts';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import type { Judgement } from '../judgement.ts';

const window = (ids: string) => ({ ids: Array.from(ids), exchanges: [] });

test.each([
  ['dc', 'cba', 'c', 'held'],
  ['dc', 'cba', 'dc', 'violated'],
  ['dc', 'cba', '', 'violated'],
  ['d', 'ba', '', 'vacuous'],
  ['d', 'ba', 'c', 'violated'],
  ['dcba', 'dcba', 'dcba', 'vacuous'],
  ['zdc', 'cba', 'c', 'held'],
])('of dcba, %s and %s together are %s: %s', (begin, end, both, expected) => {
  const { seen, violations } = bothBounds(
    Array.from('dcba'),
    window(begin),
    window(end),
    window(both),
  );
  expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(expected);
});

test.each([
  ['dc', 'cb', 'c', 'last-page', 'held'],
  ['dc', 'cb', '', 'last-page', 'violated'],
  ['dc', 'cb', '', 'no-page', 'violated'],
  ['dc', 'cb', 'ab', 'limit', 'vacuous'],
  ['d', 'cb', '', 'last-page', 'vacuous'],
] as const)(
  'of c, begin has %s, end has %s, and both have %s: %s, %s',
  (begin, end, both, how, is) => {
    const exchanges = [exchangeOf(how === 'no-page' ? { status: 400 } : {})];
    const part = { ids: Array.from(both), records: [], end: how, exchanges };
    const { seen, violations } = instantInBoth('c', part, [window(begin), window(end)], 'of both');
    expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(is);
  },
);

const NOW = Date.UTC(2026, 0, 10);
const day = (number: number): number => Date.UTC(2026, 0, number);

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

/** Instances d, c, b, a were created on the 4th, 3rd, 2nd and 1st of January; `list` is how the list has them. */
function judged(list: string, sights: readonly WindowSight[]): Record<string, string> {
  return Object.fromEntries(
    windows(Array.from(list), sights, NOW).map(({ requirement, judgement }) => [
      requirement.replace('compute.list-instances.', ''),
      outcome(judgement),
    ]),
  );
}

function beginAt(at: number, ids: string): WindowSight {
  return { bound: 'begin', at, ids: Array.from(ids), exchanges: [] };
}

function endAt(at: number, ids: string): WindowSight {
  return { bound: 'end', at, ids: Array.from(ids), exchanges: [] };
}

const held = { 'date-begin': 'held', 'date-end': 'held', 'newest-first': 'held' };

test('windows that agree with each other and with the order', () => {
  expect(
    judged('dcba', [beginAt(day(3), 'dc'), endAt(day(2), 'ba'), endAt(day(3), 'cba')]),
  ).toEqual(held);
});

test('windows that have all or nothing say nothing', () => {
  expect(judged('dcba', [beginAt(day(1), 'dcba'), endAt(day(1) - 1, '')])).toEqual({
    'date-begin': 'vacuous',
    'date-end': 'vacuous',
    'newest-first': 'vacuous',
  });
});

test('the order is wrong when both windows agree with each other and not with it', () => {
  const sights = [beginAt(day(3), 'cd'), endAt(day(2), 'ab'), endAt(day(3), 'abc')];
  expect(judged('abcd', sights)).toEqual({ ...held, 'newest-first': 'violated' });
});

test('the window is wrong that contradicts order and other window', () => {
  const sights = [beginAt(day(3), 'ca'), endAt(day(2), 'ba'), endAt(day(3), 'cba')];
  expect(judged('dcba', sights)).toEqual({
    'date-begin': 'violated',
    'date-end': 'held',
    'newest-first': 'vacuous',
  });
  expect(judged('dcba', [beginAt(day(3), 'dc'), endAt(day(2), 'db')])['date-end']).toBe('violated');
});

test('a begin that is ignored shows in the future', () => {
  const sights = [
    beginAt(day(3), 'dcba'),
    beginAt(Date.UTC(2100, 0, 1), 'dcba'),
    endAt(day(2), 'ba'),
  ];
  expect(judged('dcba', sights)).toMatchObject({ 'date-begin': 'violated', 'date-end': 'held' });
});

test('an end that is ignored shows in the past', () => {
  const sights = [beginAt(day(3), 'dc'), endAt(Date.UTC(1970, 0, 1), 'dcba')];
  expect(judged('dcba', sights)).toMatchObject({ 'date-begin': 'held', 'date-end': 'violated' });
});

test('a narrower window never has more', () => {
  const sights = [beginAt(day(2), 'd'), beginAt(day(3), 'dc'), endAt(day(2), 'ba')];
  expect(judged('dcba', sights)['date-begin']).toBe('violated');
});

test('windows that contradict each other are both named', () => {
  const sights = [beginAt(day(3), 'dcb'), endAt(day(2), 'ba'), endAt(day(3), 'cba')];
  expect(judged('dcba', sights)).toEqual({
    'date-begin': 'violated',
    'date-end': 'violated',
    'newest-first': 'vacuous',
  });
});

test('instances that came later are left out', () => {
  expect(judged('dcba', [beginAt(day(3), 'zdc'), endAt(day(3), 'cba')])).toEqual(held);
});

test('instances that no window tells apart may stand in any order', () => {
  const sights = [beginAt(day(3), 'cd'), endAt(day(3) - 1, 'ab')];
  expect(judged('dcba', sights)).toEqual(held);
  expect(judged('dcba', [...sights, beginAt(day(3) + 1, 'd')])['newest-first']).not.toBe('held');
});

test('a window over all times lacks nothing, unless something new took its place', () => {
  const ever = Date.UTC(1999, 0, 1);
  expect(judged('dcba', [beginAt(ever, 'dcba')])['date-begin']).toBe('vacuous');
  expect(judged('dcba', [beginAt(ever, 'dcb')])['date-begin']).toBe('violated');
  expect(judged('dcba', [endAt(day(20), 'cba')])['date-end']).toBe('violated');
  expect(judged('dcba', [beginAt(ever, 'edcb')])['date-begin']).toBe('held');
});
