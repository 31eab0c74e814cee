import { expect, test } from 'vitest';
import { sampleError } from '../../checks/router/sample-exchange.ts';
import { countsOf } from './counts.test.support.ts';
import { restsItsAgents } from './resting-fleet.ts';

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
      counts: async () => Promise.resolve(countsOf(hits())),
    },
    target: {},
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
      target: {},
    };
    return restsItsAgents(t, 'fallback', 0, others);
  };
  expect(await told('tries')).toBe(false);
  expect(await told('rests', 'tries')).toBe(true);
  expect(await told('silent', 'tries')).toBe(false);
  expect(await told('silent')).toBe(true);
  expect(await told()).toBe(true);
});
