import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { withoutLoneFailure } from './lone-failure.ts';

test.each([
  [
    [200, 404],
    [200, 404],
  ],
  [
    [200, 500, 404],
    [200, 404],
  ],
  [
    [200, 500, 500],
    [200, 500, 500],
  ],
  [
    [200, 500, 503],
    [200, 503],
  ],
])('of %j, %j count', (statuses, expected) => {
  const answers = statuses.map((status) => exchangeOf({ status }));
  expect(withoutLoneFailure(answers).map(({ response }) => response?.status)).toEqual(expected);
});
