import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { shownSize } from './shown-size.ts';

test('the size is that of the pagination object, where there is one', () => {
  expect(shownSize(exchangeOf({ body: { data: [], pagination: { next: null, size: 7 } } }))).toBe(
    7,
  );
  expect(shownSize(exchangeOf({ body: { data: [], size: 7 } }))).toBeUndefined();
  expect(shownSize(exchangeOf({ body: 'no JSON' }))).toBeUndefined();
  expect(
    shownSize(exchangeOf({ status: 400, body: { pagination: { next: null, size: 7 } } })),
  ).toBeUndefined();
});
