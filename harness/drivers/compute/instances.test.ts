import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../../checks/compute/exchange.test.support.ts';
import { outcomeOf } from '../../checks/verdict.test.support.ts';
import { inTurn } from '../in-turn.test.support.ts';
import { agreesInTheEnd, readSingle } from './instances.ts';

const id = String(listRecord()['instance_id']);

/** A deployment that shows these prices, one in each response, and then the last one. */
function pricing(...prices: readonly number[]) {
  const next = inTurn(...prices);
  const record = () => listRecord({ hourly_rate: next() });
  return {
    api: { get: async () => exchangeOf({ body: record() }) },
    bindings: { getInstance: { record: '$' } },
    observeInList: async () => ({ record: record(), exchange: exchangeOf(), status: 'RUNNING' }),
    signal: new AbortController().signal,
  };
}

/** Four rounds without a pause. */
const AT_ONCE = { awaits: 'nothing', pausesMs: [0, 0, 0] };

test.each([
  ['held', [2, 2, 2]],
  ['held', [2, 3, 2, 2, 2, 2]],
  ['held', [2, 3, 3]],
  ['broken', [2, 3, 2, 2, 3, 2, 2, 3, 2, 2, 3, 2]],
] as const)('%s: %j', async (outcome, prices) => {
  expect(outcomeOf(await agreesInTheEnd(pricing(...prices), id, AT_ONCE))).toBe(outcome);
});

test.each([
  [true, Number.POSITIVE_INFINITY],
  [false, 2],
])('an instance that cannot be read lives on: %s', async (isLive, looksListed) => {
  let looks = 0;
  const read = await readSingle(
    {
      ...pricing(2),
      api: { get: async () => exchangeOf({ status: 404 }) },
      observeInList: async () => {
        looks += 1;
        return looks > looksListed ? undefined : pricing(2).observeInList();
      },
    },
    id,
    AT_ONCE,
  );
  expect(read.isLive).toBe(isLive);
});
