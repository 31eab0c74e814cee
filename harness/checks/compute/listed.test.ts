import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import type { Extent } from './extent.ts';
import { isListed } from './listed.ts';

const list = (ids: readonly string[], end: Extent['end'] = 'last-page'): Extent => ({
  ids,
  end,
  exchanges: [exchangeOf()],
});
const judged = (id: string, of: Extent) => isListed(id, of, exchangeOf());

test('an instance is in the whole list, whatever the case of its id', () => {
  expect(judged('AB', list(['cd', 'ab']))).toMatchObject({ seen: 1, violations: [] });
});

test('an instance that the whole list lacks is missed there', () => {
  expect(judged('ab', list([])).violations).toMatchObject([{ expected: 'ab' }]);
});

test('a list that was cut tells nothing', () => {
  expect(judged('ab', list(['cd'], 'limit')).seen).toBe(0);
  expect(judged('ab', list(['cd'], 'no-page')).seen).toBe(0);
});
