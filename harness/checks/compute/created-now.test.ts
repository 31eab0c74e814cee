import { expect, test } from 'vitest';
import { createdNow } from './created-now.ts';
import { exchangeOf } from './exchange.test.support.ts';
import type { Extent } from '../collection/bracket.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const list = (ids: string, end: Extent['end'] = 'last-page'): Extent => ({
  ids: Array.from(ids),
  end,
  exchanges: [exchangeOf()],
});

test.each([
  ['held', list('ab'), list('xb')],
  ['held', list('ab'), list('xb', 'limit')],
  ['violated', list('ab'), list('b')],
  ['violated', list(''), list('')],
  ['vacuous', list('ab'), list('b', 'limit')],
  ['vacuous', list('xa'), list('a')],
  ['vacuous', list('ab', 'limit'), list('b')],
  ['vacuous', list('ab'), list('', 'no-page')],
] as const)('%s', (outcome, before, window) => {
  expect(outcomeOf(createdNow('X', before, window))).toBe(outcome);
});
