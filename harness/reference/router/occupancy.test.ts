/** Concurrency: places in flight, occupancy, shedding, slots, the queue and the deadline. */

import { expect, test } from 'vitest';
import type { Behaviour } from '../../backend/behaviour.ts';
import type { Answered, Asking, Running } from './running.test.support.ts';
import { running } from './running.test.support.ts';

const ascending = (one: number, other: number) => one - other;

const holding: Behaviour = { kind: 'complete', hold: 'before-head' };

/** Starts requests that the engine holds, and waits until all are there. */
async function hold(
  system: Running,
  model: string,
  count: number,
  asking: Asking = {},
  behaviour: Behaviour = holding,
) {
  const script = await system.script(behaviour);
  const asked = Array.from({ length: count }, async () => system.ask(model, { ...asking, script }));
  await system.backend.waitFor(script, { held: count });
  return {
    answers: Promise.all(asked),
    release: async () => {
      await system.backend.release(script);
      return Promise.all(asked);
    },
  };
}

function expectBusy(answer: Answered): void {
  expect([answer.status, answer.code, answer.source]).toEqual([
    429,
    'concurrency_limit_exceeded',
    'router',
  ]);
  expect(answer.headers['retry-after']).toBe('1');
}

test.for([
  ['scripted-inflight', {}, {}],
  ['scripted-occupancy', { extra: { max_tokens: 980 } }, { extra: { max_tokens: 200 } }],
] as const)(
  '%s: parks, refuses past the park time, serves when a place is free',
  async ([model, big, small]) => {
    const system = await running({ limits: { parkTimeoutMs: 1_000 } });
    const { release } = await hold(system, model, 1, big);
    const script = await system.script({ kind: 'complete' });
    expectBusy(await system.ask(model, { ...small, script }));
    expect(await system.hits(script)).toBe(0);
    const parked = system.ask(model, { ...small, script });
    const [served] = await release();
    expect(served?.status).toBe(200);
    expect((await parked).status).toBe(200);
  },
);

test('small requests share an occupancy budget', async () => {
  const system = await running();
  const { release } = await hold(system, 'scripted-occupancy', 4, { extra: { max_tokens: 50 } });
  expect((await release()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('a model under pressure sheds before an engine sees the request', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete' });
  expectBusy(await system.ask('scripted-shed', { script }));
  expect(await system.hits(script)).toBe(0);
});

test('pressure is read from the metrics of the engine where none is set', async () => {
  const system = await running({
    configure: (usual) => ({
      ...usual,
      agents: usual.agents.map(({ pressure: _set, ...agent }) => agent),
    }),
  });
  expect((await system.ask('scripted-shed')).status).toBe(200);
  const pressed = await running({
    configure: (usual) => ({
      ...usual,
      agents: usual.agents.map(({ pressure: _set, ...agent }) => agent),
    }),
  });
  await pressed.backend.setPressure({ waiting: 20 });
  expectBusy(await pressed.ask('scripted-shed'));
});

test.for([
  ['success', { kind: 'complete' }],
  ['error', { kind: 'respond', status: 500, text: 'oops' }],
  ['refusal', { kind: 'respond', status: 400, text: 'no' }],
  ['drop', { kind: 'complete', drop: { at: 'before-head', how: 'reset' } }],
  [
    'stream failure',
    { kind: 'complete', stream: true, drop: { at: { afterEvents: 1 }, how: 'close' } },
  ],
  ['timeout', holding],
] as const)('what a request held comes back after %s', async ([, behaviour]) => {
  const system = await running({ limits: { requestTimeoutMs: 1_000, parkTimeoutMs: 50 } });
  const models = ['scripted-slot', 'scripted-inflight', 'scripted-occupancy'];
  const asking = { extra: { max_tokens: 900 } };
  const afterwards = models.map(async (model) => {
    const script = await system.script(behaviour);
    await system.ask(model, { ...asking, script }).catch(() => undefined);
    return system.ask(model, asking);
  });
  expect((await Promise.all(afterwards)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('what a request held comes back after a hang-up', async () => {
  const system = await running({ limits: { parkTimeoutMs: 1_000 } });
  for (const model of ['scripted-slot', 'scripted-inflight', 'scripted-occupancy']) {
    const script = await system.script(holding);
    const leaving = new AbortController();
    const asked = system.ask(model, { script, extra: { max_tokens: 900 }, signal: leaving.signal });
    await system.backend.waitFor(script, { held: 1 });
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    await system.backend.waitFor(script, { ended: 1 });
    expect((await system.ask(model, { extra: { max_tokens: 900 } })).status).toBe(200);
  }
});

test('full slots are no_capacity, and no engine sees more than there are slots', async () => {
  const system = await running();
  const { release } = await hold(system, 'scripted-slot', 1);
  const script = await system.script({ kind: 'complete' });
  const answer = await system.ask('scripted-slot', { script });
  expect([answer.status, answer.code, answer.source]).toEqual([503, 'no_capacity', 'router']);
  expect(await system.hits(script)).toBe(0);
  await release();
});

/** The single slot, with room to wait for it. */
function withQueue(capacityQueue: number, requestTimeoutMs: number): Promise<Running> {
  return running({
    limits: { requestTimeoutMs },
    configure: (usual) => ({
      ...usual,
      models: usual.models.map((model) =>
        model.id === 'scripted-slot' ? { ...model, capacityQueue } : model,
      ),
    }),
  });
}

test('a model with a queue of its own lets requests wait, and the queue can be full', async () => {
  const system = await withQueue(1, 5_000);
  const { release } = await hold(system, 'scripted-slot', 1);
  const both = [system.ask('scripted-slot'), system.ask('scripted-slot')];
  const first = await Promise.race(both);
  expect(first.code).toBe('no_capacity');
  await release();
  expect((await Promise.all(both)).map(({ status }) => status).toSorted(ascending)).toEqual([
    200, 503,
  ]);
});

// A stream that has begun outlives the deadline of whoever waits for what it holds.
const endless: Behaviour = { kind: 'complete', stream: true, hold: { afterEvents: 1 } };

test('the deadline passes at the engine, for a slot and in the queue', async () => {
  const engine = await running({ limits: { requestTimeoutMs: 800 } });
  const [atEngine] = await (await hold(engine, 'scripted-chat', 1)).answers;
  const slots = await withQueue(1, 800);
  const slot = await hold(slots, 'scripted-slot', 1, {}, endless);
  const forSlot = await slots.ask('scripted-slot');
  const narrow = await running({ limits: { requestTimeoutMs: 800, maxConcurrent: 1 } });
  const processor = await hold(narrow, 'scripted-chat', 1, {}, endless);
  const inQueue = await narrow.ask('scripted-chat');
  for (const [answer, stage] of [
    [atEngine, 'contacted'],
    [forSlot, 'waiting'],
    [inQueue, 'queue'],
  ] as const) {
    const { status, code, source, message, headers } = answer ?? forSlot;
    expect([status, code, source]).toEqual([504, 'request_timeout', 'router']);
    expect(message).toContain(stage);
    expect(headers['retry-after']).toBeUndefined();
  }
  const held = [...(await slot.release()), ...(await processor.release())];
  expect(held.map(({ status }) => status)).toEqual([200, 200]);
});

test('a deadline that passes at the agents leaves the provider alone', async () => {
  const system = await running({ limits: { requestTimeoutMs: 700 } });
  const script = await system.script(holding);
  expect((await system.ask('scripted-provider', { script })).code).toBe('request_timeout');
  expect(await system.hits(script)).toBe(1);
});

test('a pending channel that stays full refuses with queue_full, and is free again later', async () => {
  const limits = { maxConcurrent: 2, queueSize: 1, queueFullMs: 200 };
  const system = await running({ limits });
  const { release } = await hold(system, 'scripted-chat', 2);
  const pending = [system.ask('scripted-chat'), system.ask('scripted-chat')];
  const refused = await Promise.race(pending);
  expect([refused.status, refused.code, refused.source]).toEqual([503, 'queue_full', 'router']);
  expect(refused.headers['retry-after']).toBeUndefined();
  await release();
  expect((await Promise.all(pending)).map(({ status }) => status).toSorted(ascending)).toEqual([
    200, 503,
  ]);
});

test('the contract says how long the channel must stay full', async () => {
  const system = await running({
    configure: (usual) => {
      expect(usual.limits.queueFullMs).toBe(5_000);
      expect(usual.limits.requestTimeoutMs).toBeGreaterThan(5_000);
      return usual;
    },
  });
  expect(system.router.target().limits).not.toHaveProperty('queueFullMs');
});
