import { expect, test, afterEach, beforeEach, vi } from 'vitest';
import { exchangeOf, listRecord } from '../../checks/compute/exchange.test.support.ts';
import { outcomeOf } from '../../checks/verdict.test.support.ts';
import { inTurn } from '../in-turn.test.support.ts';
import { agreesInTheEnd, readSingle, foundStuck, untilDone } from './instances.ts';

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

const GOAL = { instance: 'an-id', goal: 'STOPPED', states: [] };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The seconds spent waiting for an instance that never comes to rest, and the reason that the error gives. */
async function givenUp(t: Parameters<typeof untilDone>[0]): Promise<string> {
  const waiting = untilDone(t, GOAL, async () => false).then(
    () => 'done',
    (error: Error) => error.message,
  );
  await vi.runAllTimersAsync();
  return waiting;
}

const secondsIn = (message: string): number => Number(/within (\d+) s/u.exec(message)?.[1]);

test('an instance is waited for a quarter of the budget, and shortly once another one is stuck', async () => {
  const target = { budget: { minutes: 8 } };
  const t = { target, session: {}, signal: new AbortController().signal };
  const long = await givenUp(t);
  expect(long).toMatch(
    /to STOPPED within \d+ s, a quarter of budget\.minutes; last seen nowhere$/u,
  );
  foundStuck(t);
  const short = await givenUp(t);
  expect(short).toContain('where another one is stuck');
  // The number of seconds depends on the load of this machine.
  expect(secondsIn(short)).toBeLessThan(secondsIn(long));
  const other = { ...t, session: {} };
  expect(await givenUp(other)).toContain('a quarter of budget.minutes');
});
