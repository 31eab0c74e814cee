import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { noCrash } from './odd-request.ts';

test.each([
  [400, undefined, 'held'],
  [200, undefined, 'held'],
  [500, 200, 'violated'],
  [500, 500, 'vacuous'],
  [500, undefined, 'vacuous'],
  [503, 200, 'vacuous'],
])('%i, and %s for a plain request: %s', (status, plain, expected) => {
  const { seen, violations } = noCrash(
    exchangeOf({ status }),
    plain === undefined ? undefined : exchangeOf({ status: plain }),
    'size=%',
  );
  expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(expected);
});
