import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample-exchange.ts';
import { mayBeRested, onceRested } from './rested.ts';

const { signal } = new AbortController();

/** Gives the results in order, and the last one from then on. */
function sender(...results: readonly string[]) {
  let sent = 0;
  return {
    send: async () => Promise.resolve(results[Math.min(sent++, results.length - 1)] ?? ''),
    count: () => sent,
  };
}

const isRested = (result: string): boolean => result === 'rested';

test('only the end of the whole chain may mean that agents are rested', () => {
  expect(mayBeRested(sampleError(503, 'no_agents_available'))).toBe(true);
  expect(mayBeRested(sampleError(503, 'no_capacity'))).toBe(false);
  expect(mayBeRested(sampleExchange({ status: 200 }))).toBe(false);
});

test('what is served at once is sent once', async () => {
  const { send, count } = sender('served');
  expect(await onceRested({}, send, { isRested, signal })).toBe('served');
  expect(count()).toBe(1);
});

test('what comes back from a rest is served', async () => {
  const { send, count } = sender('rested', 'served');
  expect(await onceRested({}, send, { isRested, signal })).toBe('served');
  expect(count()).toBe(2);
});

test('what rests for ever counts in the end', async () => {
  const session = {};
  const first = sender('rested');
  expect(await onceRested(session, first.send, { isRested, signal })).toBe('rested');
  expect(first.count()).toBe(5);
});
