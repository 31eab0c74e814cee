import { expect, test } from 'vitest';
import { bothBounds } from './window-pair.ts';

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
