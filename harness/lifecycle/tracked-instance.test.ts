import { expect, test } from 'vitest';
import { exchangeOf } from '../checks/compute/exchange.test.support.ts';
import type { Judgement } from '../checks/judgement.ts';
import { TrackedInstance, untilBroken } from './tracked-instance.ts';

const INSTANCE = '4857db56-a058-4dd4-a94c-1d9b083f12ba';

/**
 * An instance that shows these states in turn, and then the last one. `STATE DATE` sets its start, and GONE makes it
 * invisible. If the first state is TERMINATED, a stop is answered 404.
 */
function showing(...states: readonly string[]) {
  const judged: [string, Judgement][] = [];
  let looks = 0;
  const look = async () => {
    const [status = '', from] = states[Math.min(looks, states.length - 1)]?.split(' ') ?? [];
    looks += 1;
    const record = { status, ...(from === undefined ? {} : { started_at: from }) };
    const seen = { status, record, exchange: exchangeOf() };
    return Promise.resolve(status === 'GONE' ? undefined : seen);
  };
  const stop = async () =>
    Promise.resolve(exchangeOf({ status: states[0] === 'TERMINATED' ? 404 : 202 }));
  const unused = async () => Promise.reject(new Error('nothing is called here'));
  const instance = new TrackedInstance(
    {
      api: { stop, start: unused, terminate: unused, get: unused },
      observe: look,
      observeInList: look,
      transition: () => undefined,
      record: () => undefined,
      signal: new AbortController().signal,
    },
    INSTANCE,
    (requirement, judgement) => judged.push([requirement, judgement]),
  );
  return { instance, judged };
}

function brokenOf(judged: readonly [string, Judgement][]): readonly string[] {
  return judged.filter(([, { violations }]) => violations.length > 0).map(([name]) => name);
}

test('an instance that settles in the documented order breaks nothing', async () => {
  const { instance, judged } = showing('CREATED', 'DEPLOYED', 'STARTING', 'RUNNING');
  await untilBroken(async () => instance.settle(5_000));
  expect(instance.known).toBe('RUNNING');
  expect(brokenOf(judged)).toEqual([]);
});

test.concurrent.each([
  ['early-order-kept', 'STARTING', 'CREATED'],
  ['order-kept', 'STOPPED', 'RUNNING'],
])('one that falls back for good breaks %s', { timeout: 20_000 }, async (slug, ...states) => {
  const { instance, judged } = showing(...states);
  await untilBroken(async () => {
    await instance.observe();
    await instance.observe();
  });
  expect(brokenOf(judged)).toEqual([`compute.states.${slug}`]);
});

test.concurrent.each([
  ['one that runs on', '2025-01-01', ['compute.states.running-stop-settles']],
  ['one that has booted anew, which the stop may have met', '2025-01-02', []],
])('a stop that does nothing: %s', { timeout: 20_000 }, async (_what, from, broken) => {
  const { instance, judged } = showing('RUNNING 2025-01-01', `RUNNING ${from}`);
  await untilBroken(async () => {
    await instance.observe();
    await instance.call('stop');
    await instance.observe();
  });
  expect(brokenOf(judged)).toEqual(broken);
});

test.each([
  ['GONE', []],
  ['TERMINATED', ['compute.stop-instance.terminated-conflict']],
])('a stop that does not find what was terminated, and is %s', async (then, broken) => {
  const { instance, judged } = showing('TERMINATED', then);
  await untilBroken(async () => {
    await instance.observe();
    await instance.call('stop');
  });
  expect(brokenOf(judged)).toEqual(broken);
});

test('one that falls back for a moment was read from a copy', async () => {
  const { instance, judged } = showing('RUNNING', 'STARTING', 'STOPPED', 'STOPPING', 'STOPPED');
  await untilBroken(async () => {
    for (let n = 0; n < 4; n += 1) await instance.observe();
  });
  expect(brokenOf(judged)).toEqual([]);
});

test('whatever else goes wrong is not kept back', async () => {
  const failing = untilBroken(async () => Promise.reject(new TypeError('ours')));
  await expect(failing).rejects.toThrow('ours');
});
