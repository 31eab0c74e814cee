import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { type WindowSight, windows } from './windows.ts';

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

function begin(at: number, ids: string): WindowSight {
  return { bound: 'begin', at, ids: Array.from(ids), exchanges: [] };
}

function end(at: number, ids: string): WindowSight {
  return { bound: 'end', at, ids: Array.from(ids), exchanges: [] };
}

const held = { 'date-begin': 'held', 'date-end': 'held', 'newest-first': 'held' };

test('windows that agree with each other and with the order', () => {
  expect(judged('dcba', [begin(day(3), 'dc'), end(day(2), 'ba'), end(day(3), 'cba')])).toEqual(
    held,
  );
});

test('windows that have all or nothing say nothing', () => {
  expect(judged('dcba', [begin(day(1), 'dcba'), end(day(1) - 1, '')])).toEqual({
    'date-begin': 'vacuous',
    'date-end': 'vacuous',
    'newest-first': 'vacuous',
  });
});

test('the order is wrong when both windows agree with each other and not with it', () => {
  const sights = [begin(day(3), 'cd'), end(day(2), 'ab'), end(day(3), 'abc')];
  expect(judged('abcd', sights)).toEqual({ ...held, 'newest-first': 'violated' });
});

test('the window is wrong that contradicts order and other window', () => {
  const sights = [begin(day(3), 'ca'), end(day(2), 'ba'), end(day(3), 'cba')];
  expect(judged('dcba', sights)).toEqual({
    'date-begin': 'violated',
    'date-end': 'held',
    'newest-first': 'vacuous',
  });
  expect(judged('dcba', [begin(day(3), 'dc'), end(day(2), 'db')])['date-end']).toBe('violated');
});

test('a begin that is ignored shows in the future', () => {
  const sights = [begin(day(3), 'dcba'), begin(Date.UTC(2100, 0, 1), 'dcba'), end(day(2), 'ba')];
  expect(judged('dcba', sights)).toMatchObject({ 'date-begin': 'violated', 'date-end': 'held' });
});

test('an end that is ignored shows in the past', () => {
  const sights = [begin(day(3), 'dc'), end(Date.UTC(1970, 0, 1), 'dcba')];
  expect(judged('dcba', sights)).toMatchObject({ 'date-begin': 'held', 'date-end': 'violated' });
});

test('a narrower window never has more', () => {
  const sights = [begin(day(2), 'd'), begin(day(3), 'dc'), end(day(2), 'ba')];
  expect(judged('dcba', sights)['date-begin']).toBe('violated');
});

test('windows that contradict each other are both named', () => {
  const sights = [begin(day(3), 'dcb'), end(day(2), 'ba'), end(day(3), 'cba')];
  expect(judged('dcba', sights)).toEqual({
    'date-begin': 'violated',
    'date-end': 'violated',
    'newest-first': 'vacuous',
  });
});

test('instances that came later are left out', () => {
  expect(judged('dcba', [begin(day(3), 'zdc'), end(day(3), 'cba')])).toEqual(held);
});

test('instances that no window tells apart may stand in any order', () => {
  const sights = [begin(day(3), 'cd'), end(day(3) - 1, 'ab')];
  expect(judged('dcba', sights)).toEqual(held);
  expect(judged('dcba', [...sights, begin(day(3) + 1, 'd')])['newest-first']).not.toBe('held');
});

test('a window over all times lacks nothing, unless something new took its place', () => {
  const ever = Date.UTC(1999, 0, 1);
  expect(judged('dcba', [begin(ever, 'dcba')])['date-begin']).toBe('vacuous');
  expect(judged('dcba', [begin(ever, 'dcb')])['date-begin']).toBe('violated');
  expect(judged('dcba', [end(day(20), 'cba')])['date-end']).toBe('violated');
  expect(judged('dcba', [begin(ever, 'edcb')])['date-begin']).toBe('held');
});
