import { expect, test, vi } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { mayBeRested, mustSpareAgents, onceRested, restsItsAgents } from './rested.ts';

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

/** A router whose failing requests are tried so often, one after another; the last number from then on. */
function router(...tries: readonly number[]) {
  let sent = 0;
  const hits = (): number => tries[Math.min(sent, tries.length) - 1] ?? 0;
  return {
    api: {
      chat: async () => {
        sent += 1;
        const code = hits() === 0 ? 'no_agents_available' : 'backend_unavailable';
        return Promise.resolve(sampleError(503, code));
      },
    },
    backend: {
      script: async () => Promise.resolve('s'),
      counts: async () => Promise.resolve({ hits: hits(), held: 0, ended: 0 }),
    },
    session: {},
    sent: () => sent,
  };
}

const asked = async (of: ReturnType<typeof router>): Promise<boolean> => restsItsAgents(of, 'pair');

test.each([
  ['rests each agent after five failures', [2, 2, 2, 2, 2, 0]],
  ['never rests the last one', [2, 2, 1]],
])('a router that %s is known by it', async (_, tries) => {
  expect(await asked(router(...tries))).toBe(true);
});

test.each([
  ['tries each agent every time', [2]],
  ['never tries another agent', [1]],
])('a router that %s rests none', async (_, tries) => {
  expect(await asked(router(...tries))).toBe(false);
});

test('a router whose agents are rested already is known by what it tried before', async () => {
  expect(await restsItsAgents(router(1), 'provider', 2)).toBe(true);
});

test('a session asks once for each model', async () => {
  const of = router(1);
  await asked(of);
  const sent = of.sent();
  await asked(of);
  expect(of.sent()).toBe(sent);
});

test('a router that never tried a model is known by another one', async () => {
  const models: Readonly<Record<string, readonly number[]>> = {
    fallback: [0],
    silent: [0],
    rests: [2, 1],
    tries: [2],
  };
  const told = async (...others: readonly string[]) => {
    const of = Object.fromEntries(
      Object.entries(models).map(([id, tries]) => [id, router(...tries)]),
    );
    let last = '';
    const t = {
      api: {
        chat: async (model: string) => {
          last = model;
          return (of[model] ?? router(0)).api.chat();
        },
      },
      backend: {
        script: async () => Promise.resolve('s'),
        counts: async () => (of[last] ?? router(0)).backend.counts(),
      },
      session: {},
    };
    return restsItsAgents(t, 'fallback', 0, others);
  };
  expect(await told('tries')).toBe(false);
  expect(await told('rests', 'tries')).toBe(true);
  expect(await told('silent', 'tries')).toBe(false);
  expect(await told('silent')).toBe(true);
  expect(await told()).toBe(true);
});
