import { expect, test } from 'vitest';
import { keepsOverPages } from './kept-over-pages.ts';
import type { Part } from './selection.ts';
import { outcomeOf } from './verdicts.test.support.ts';

type Item = readonly [id: string, rate: number];

const list = (items: readonly Item[], end: Part['end'] = 'last-page'): Part => ({
  ids: items.map(([id]) => id),
  records: items.map(([, hourly_rate]) => ({ hourly_rate })),
  exchanges: [],
  end,
});

const a: Item = ['a', 1];
const b: Item = ['b', 3];
const c: Item = ['c', 2];
const whole = [a, b, c];

test.each([
  ['in another order', [b, c, a], 'held'],
  ['with one twice', [b, b, c, a], 'violated'],
  ['without one', [b, a], 'violated'],
  ['with one twice that moved meanwhile', [['b', 4], b, c, a], 'vacuous'],
] as const)('a walk %s', (_, items, expected) => {
  const walked = list(items);
  const around = { before: list(whole), after: list(whole) };
  expect(outcomeOf(keepsOverPages('HOURLY_RATE', around, walked))).toBe(expected);
});

test('a list that changed, or was not read to its end, says nothing', () => {
  const notExercised = list(whole.slice(1));
  const grown = { before: list(whole), after: list([...whole, ['d', 9]]) };
  expect(outcomeOf(keepsOverPages('HOURLY_RATE', grown, notExercised))).toBe('vacuous');
  const around = { before: list(whole), after: list(whole) };
  const cut = list(whole.slice(1), 'limit');
  expect(outcomeOf(keepsOverPages('HOURLY_RATE', around, cut))).toBe('vacuous');
});
