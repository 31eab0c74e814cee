import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { foundStuck, untilDone } from './instances.ts';

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
