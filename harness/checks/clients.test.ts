import { expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { keptWait, refusedBare, waitAskedFor } from './clients.ts';
import { exchangeOf, type MadeExchange } from './compute/exchange.test.support.ts';
import { testCheck } from './verdict.test.support.ts';

testCheck('a request without a credential', (made: MadeExchange) => refusedBare(exchangeOf(made)), {
  held: [{ status: 401 }],
  broken: [{ status: 200 }],
  unseen: [
    ...[400, 404, 429, 500].map((status) => ({ status })),
    { requestHeaders: [['Authorization', 'Bearer x']] },
    { requestHeaders: [['cookie', 'session=1']] },
    { requestHeaders: [['X-Api-Key', 'k']] },
    { query: 'api_key=k' },
    { query: 'key=k' },
  ],
});

const limited = (value: string, status = 429): Exchange => ({
  ...exchangeOf({ status, headers: [['Retry-After', value]] }),
  startedAt: 1_000,
});

test('the wait that an answer asks for is a whole number of seconds', () => {
  expect(waitAskedFor(limited('2'))).toBe(2);
  expect(waitAskedFor(limited('1.5'))).toBeUndefined();
  expect(waitAskedFor(limited('Wed, 21 Oct 2026 07:28:00 GMT'))).toBeUndefined();
  expect(waitAskedFor(limited('2', 200))).toBeUndefined();
});

test.for([
  ['was kept', 3_001, true],
  ['was not kept', 2_500, false],
  ['could not be known to a request that was on its way', 900, undefined],
] as const)('a wait %s', ([, startedAt, kept]) => {
  expect(keptWait(limited('2'), { ...exchangeOf(), startedAt })).toBe(kept);
});
