import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { chattingModels, firstWithRoom } from './agents.ts';

const full = sampleError(503, 'no_capacity');
const served = sampleExchange({ status: 200 });

/** Asks the models in order; `ends` is how each answers. */
async function asked(ends: Readonly<Record<string, Exchange>>) {
  const order: string[] = [];
  const end = await firstWithRoom(Object.keys(ends), async (model) => {
    order.push(model);
    return Promise.resolve(ends[model] ?? served);
  });
  return { end, order };
}

test('a request goes on to the next model while agents have no slot left', async () => {
  const { end, order } = await asked({
    chat: full,
    pair: full,
    provider: served,
    fallback: served,
  });
  expect(order).toEqual(['chat', 'pair', 'provider']);
  expect(end).toBe(served);
});

test('a full channel is the end of it, whatever the model', async () => {
  const refused = sampleError(503, 'queue_full');
  const { end, order } = await asked({ chat: refused, pair: served });
  expect(order).toEqual(['chat']);
  expect(end).toBe(refused);
});

test('where no model has room the last answer counts', async () => {
  expect((await asked({ chat: full, pair: full })).end).toBe(full);
});

test('each model is asked once, and those that are not given are left out', () => {
  const models = { chat: 'a', pair: 'a', provider: 'b', calm: 'c' };
  expect(chattingModels({ models })).toEqual(['a', 'b']);
});
