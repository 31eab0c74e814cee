import { expect, test, vi } from 'vitest';
import { sampleError } from '../../checks/router/sample.test.support.ts';
import { inTurn } from '../in-turn.test.support.ts';
import { mustSpareAgents, onceReturned, ejectsItsAgents } from './ejection.ts';

const { signal } = new AbortController();

const options = {
  model: 'chat',
  isEjected: (result: string): boolean => result === 'rested',
  signal,
};

/** Sends a request that ends like this in turn. */
async function ask(session: object, ...results: readonly string[]): Promise<string> {
  const next = inTurn(...results);
  return onceReturned(session, async () => next(), options);
}

test('one request looks for the agents of a model, and the others wait for it', async () => {
  const session = {};
  const [one, other] = [inTurn('rested', 'rested', 'served'), inTurn('rested', 'served')];
  const sent: string[] = [];
  const sending = async (name: string, next: () => string) =>
    onceReturned(session, async () => (sent.push(name), next()), options);
  const both = [sending('one', one), sending('other', other)];
  expect(await Promise.all(both)).toEqual(['served', 'served']);
  expect(sent).toEqual(['one', 'other', 'one', 'one', 'other']);
});

test('once all time for waiting is used up, agents that rest are to be spared, and others are not', async () => {
  const session = {};
  expect(mustSpareAgents(session, 'chat')).toBe(false);
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 80_000));
  try {
    await ask(session, 'rested', 'served');
    expect(mustSpareAgents(session, 'chat')).toBe(false);
    await ask(session, 'rested', 'served');
  } finally {
    clock.mockRestore();
  }
  expect(mustSpareAgents(session, 'chat')).toBe(true);
  expect(mustSpareAgents(session, 'other')).toBe(false);
  // A request that makes no agent fail is still served once the agents are back.
  expect(await ask(session, 'rested', 'served')).toBe('served');
});

test('agents for which the wait was in vain are waited for again once they were met', async () => {
  const session = {};
  expect(await ask(session, 'rested')).toBe('rested');
  expect(await ask(session, 'rested', 'served')).toBe('rested');
  expect(await ask(session, 'served')).toBe('served');
  expect(await ask(session, 'rested', 'served')).toBe('served');
});

/** A router that tries failing requests this often, one number for each request; then the last number. */
function router(...tries: readonly number[]) {
  let sent = 0;
  const hits = (): number => tries[Math.min(sent, tries.length) - 1] ?? 0;
  return {
    api: {
      chat: async () => {
        sent += 1;
        return sampleError(503, hits() === 0 ? 'no_agents_available' : 'backend_unavailable');
      },
    },
    backend: {
      script: async () => 's',
      counts: async () => ({ hits: hits(), held: 0, ended: 0 }),
    },
    session: {},
    signal,
    sent: () => sent,
  };
}

test.each([
  ['rests each agent after five failures', [2, 2, 2, 2, 2, 0], 0, true],
  ['never rests the last one', [2, 2, 1], 0, true],
  ['tried more before', [1], 2, true],
  ['tries each agent every time', [2], 0, false],
  ['never tries another agent', [1], 0, false],
  ['waits for the first that is back', [...Array.from({ length: 24 }, () => 1), 2], 0, true],
])('whether a router that %s rests agents', async (_, tries, before, expected) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ejects = ejectsItsAgents(router(...tries), 'pair', before);
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  expect(await ejects).toBe(expected);
});

test('a session asks once for each model', async () => {
  const of = router(2);
  await ejectsItsAgents(of, 'pair');
  const sent = of.sent();
  await ejectsItsAgents(of, 'pair');
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
    const of = new Map(Object.entries(models).map(([id, tries]) => [id, router(...tries)]));
    let last = router(0);
    const t = {
      ...last,
      api: {
        chat: async (model: string) => {
          last = of.get(model) ?? last;
          return last.api.chat();
        },
      },
      backend: { script: async () => 's', counts: async () => last.backend.counts() },
    };
    return ejectsItsAgents(t, 'fallback', 0, others);
  };
  expect(await told('tries')).toBe(false);
  expect(await told('rests', 'tries')).toBe(true);
  expect(await told('silent', 'tries')).toBe(false);
  expect(await told('silent')).toBe(true);
  expect(await told()).toBe(true);
});
