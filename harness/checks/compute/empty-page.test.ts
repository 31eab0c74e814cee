import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { isEmptyPage } from './empty-page.ts';

test.each([
  [200, { data: [], pagination: { next: null, size: 50 } }, 'held'],
  [200, [], 'held'],
  [200, { data: [{}] }, 'violated'],
  [200, { page: { presets: [{}] } }, 'violated'],
  [400, { error: {} }, 'violated'],
  [502, '', 'vacuous'],
])('%i %j: %s', (status, body, expected) => {
  const { seen, violations } = isEmptyPage(exchangeOf({ status, body }), 'A filter');
  expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(expected);
});
