import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { verdictsOf } from './verdicts.test.support.ts';

const there = 'rate-limiting.retry-after-there';
const integer = 'rate-limiting.retry-after-integer';

function limited(...values: readonly string[]) {
  return exchangeOf({
    status: 429,
    body: { error: { code: 'TOO_MANY_REQUESTS', message: '', request_id: 'r' } },
    headers: [
      ['content-type', 'application/json'],
      ...values.map((value) => ['RETRY-AFTER', value] as const),
    ],
  });
}

test.each(['0', '1', '3600'])('%s is a number of seconds', (value) => {
  const { seen, broken } = verdictsOf(limited(value));
  expect(seen).toEqual(expect.arrayContaining([there, integer]));
  expect(broken).toEqual([]);
});

test.each(['Wed, 21 Oct 2026 07:28:00 GMT', '1.5', '-1', '', 'soon'])('"%s" is none', (value) => {
  expect(verdictsOf(limited(value)).broken).toEqual([integer]);
});

test('a 429 without the header is wrong', () => {
  expect(verdictsOf(limited()).broken).toEqual([there]);
});

test('the head of a 429 tells even when the body was cut', () => {
  expect(verdictsOf({ ...limited(), ending: 'reset' }).broken).toEqual([there]);
});

test('other answers need no such header', () => {
  expect(verdictsOf(exchangeOf({ status: 404, body: {} })).seen).not.toContain(there);
});
