import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { bothBounds, instantInBoth } from './window-pair.ts';

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
