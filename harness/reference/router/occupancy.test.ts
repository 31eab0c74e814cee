/** Concurrency: requests in flight, occupancy, shedding, slots, the queue and the deadline. */

import { expect, test } from 'vitest';
import type { Behaviour } from '../../backend/behaviour.ts';
import { type Asking, type Running, running, statusesOf } from './running.test.support.ts';
import type { RouterOptions } from './start.ts';

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

test('pressure is read from the metrics of the engine where none is set', async () => {
  const unset: RouterOptions['configure'] = (usual) => ({
    ...usual,
    agents: usual.agents.map(({ pressure: _set, ...agent }) => agent),
  });
  const system = await running({ configure: unset });
  expect((await system.ask('scripted-shed')).status).toBe(200);
  const pressed = await running({ configure: unset });
  await pressed.backend.setPressure({ waiting: 20 });
  const { status, code, source, headers } = await pressed.ask('scripted-shed');
  expect([status, code, source]).toEqual([429, 'concurrency_limit_exceeded', 'router']);
  expect(headers['retry-after']).toBe('1');
});

/** The model with a single slot and a queue. */
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
  expect(await statusesOf(both)).toEqual([200, 503]);
});

// A stream that has begun has no deadline, so it outlives those of the requests that wait for its slot.
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

test('a pending channel that stays full refuses with queue_full, and is free again later', async () => {
  const limits = { maxConcurrent: 2, queueSize: 1, queueFullMs: 200 };
  const system = await running({ limits });
  const { release } = await hold(system, 'scripted-chat', 2);
  const pending = [system.ask('scripted-chat'), system.ask('scripted-chat')];
  const refused = await Promise.race(pending);
  expect([refused.status, refused.code, refused.source]).toEqual([503, 'queue_full', 'router']);
  expect(refused.headers['retry-after']).toBeUndefined();
  await release();
  expect(await statusesOf(pending)).toEqual([200, 503]);
});
