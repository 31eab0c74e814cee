import { expect, test } from 'vitest';
import { commonOrder, inListOrder } from './filtered-order.ts';
import type { Part } from './selection.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const list = (letters: string): Part => ({
  ids: letters.split(''),
  records: [],
  exchanges: [],
  end: 'last-page',
});

test.each([
  ['held', 'abcd', 'bd', 'abcd', false],
  ['violated', 'abcd', 'db', 'abcd', false],
  ['vacuous', 'abcd', 'db', 'abcd', true],
  ['vacuous', 'abcd', 'db', 'badc', false],
  ['violated', 'abcd', 'db', 'xabcd', false],
  ['vacuous', 'abcd', 'b', 'abcd', false],
  ['held', 'abcd', 'xbd', 'abcd', false],
] as const)('%s: of %s came %s', (outcome, before, part, after, isTied) => {
  const around = { before: list(before), after: list(after) };
  expect(outcomeOf(inListOrder(around, list(part), isTied))).toBe(outcome);
});

test('what two lists have in common, each once', () => {
  expect(commonOrder(list('abcd'), list('xdbd'))).toEqual({
    expected: ['b', 'd'],
    actual: ['d', 'b'],
  });
});
