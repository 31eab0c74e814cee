import { expect, test, vi } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample-exchange.ts';
import { mayBeRested, mustSpareAgents, onceRested } from './rested.ts';

const { signal } = new AbortController();

/** Gives the results in order, and the last one from then on. */
function sender(...results: readonly string[]) {
  let sent = 0;
  return {
    send: async () => Promise.resolve(results[Math.min(sent++, results.length - 1)] ?? ''),
    count: () => sent,
  };
}

const options = {
  model: 'chat',
  isRested: (result: string): boolean => result === 'rested',
  signal,
};

test('only the end of the whole chain may mean that agents are rested', () => {
  expect(mayBeRested(sampleError(503, 'no_agents_available'))).toBe(true);
  expect(mayBeRested(sampleError(503, 'no_capacity'))).toBe(false);
  expect(mayBeRested(sampleExchange({ status: 200 }))).toBe(false);
});

test('what is served at once is sent once', async () => {
  const { send, count } = sender('served');
  expect(await onceRested({}, send, options)).toBe('served');
  expect(count()).toBe(1);
});

test('what comes back from a rest is served', async () => {
  const { send, count } = sender('rested', 'served');
  expect(await onceRested({}, send, options)).toBe('served');
  expect(count()).toBe(2);
});

test('what was never served and rests for ever counts in the end, and is not waited for again', async () => {
  const session = {};
  const first = sender('rested');
  expect(await onceRested(session, first.send, options)).toBe('rested');
  expect(first.count()).toBeGreaterThan(2);
  const second = sender('rested');
  expect(await onceRested(session, second.send, options)).toBe('rested');
  expect(second.count()).toBe(1);
});

test('one request looks for the agents of a model, and the others wait for it', async () => {
  const session = {};
  const looker = sender('rested', 'rested', 'served');
  const looking = onceRested(session, looker.send, options);
  const other = sender('rested', 'served');
  const lookedBefore: number[] = [];
  const waiting = onceRested(
    session,
    async () => {
      lookedBefore.push(looker.count());
      return other.send();
    },
    options,
  );
  expect(await Promise.all([looking, waiting])).toEqual(['served', 'served']);
  expect(lookedBefore).toEqual([1, 3]);
});

test('one model that rests does not hold up another', async () => {
  const session = {};
  const first = sender('rested');
  await onceRested(session, first.send, options);
  const other = sender('rested', 'served');
  expect(await onceRested(session, other.send, { ...options, model: 'other' })).toBe('served');
});

test('once all time for waiting is used up, agents that rest are to be spared, and others are not', async () => {
  const session = {};
  expect(mustSpareAgents(session, 'chat')).toBe(false);
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 80_000));
  try {
    await onceRested(session, sender('rested', 'served').send, options);
    expect(mustSpareAgents(session, 'chat')).toBe(false);
    await onceRested(session, sender('rested', 'served').send, options);
  } finally {
    clock.mockRestore();
  }
  expect(mustSpareAgents(session, 'chat')).toBe(true);
  expect(mustSpareAgents(session, 'other')).toBe(false);
  // Who makes no agent fail is still served as soon as it is back.
  expect(await onceRested(session, sender('rested', 'served').send, options)).toBe('served');
});
