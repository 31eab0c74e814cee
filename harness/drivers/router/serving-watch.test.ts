import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ServingWatch } from './serving-watch.ts';

const served = sampleExchange();
const full = sampleError(503, 'no_capacity');
const notFound = sampleError(404, 'model_not_found');

/** A plain model with its response; `asked` counts the requests that were sent. */
function watchedModel() {
  let now = 0;
  let answer: Exchange = full;
  let asked = 0;
  const watch = new ServingWatch(
    ['plain', 'other'],
    { signal: new AbortController().signal },
    () => now,
  );
  const send = async (model = 'plain') =>
    watch.send(model, async () => {
      asked += 1;
      return answer;
    });
  const sends = async (count: number, name?: string) => {
    for (let sent = 0; sent < count; sent += 1) await send(name);
  };
  return {
    send,
    sends,
    asked: () => asked,
    answers: (exchange: Exchange) => (answer = exchange),
    passes: (ms: number) => (now += ms),
  };
}

async function starved() {
  const model = watchedModel();
  await model.sends(24);
  model.passes(10_000);
  return model;
}

test('a model that long served nobody is asked once more, and then no more for a while', async () => {
  const { send, asked } = await starved();
  const first = send();
  await expect(send()).rejects.toThrow('plain serves no requests any more: the last 25');
  await expect(first).resolves.toBe(full);
  await expect(send()).rejects.toThrow('serves no requests');
  expect(asked()).toBe(25);
  await expect(send('another')).resolves.toBe(full);
});

test('a model that is not plain is no reason, and is asked no more either where a plain one serves no requests', async () => {
  const alone = watchedModel();
  await alone.sends(30, 'one slot');
  alone.passes(60_000);
  await expect(alone.send('one slot')).resolves.toBe(full);
  const { send } = await starved();
  await Promise.all([send('one slot'), send('one slot')]);
  await send('one slot');
  await expect(send('one slot')).rejects.toThrow('one slot serves no requests');
});

test('of another plain model, few who are not served are enough then', async () => {
  const { send, sends, asked } = await starved();
  await sends(3, 'other');
  await expect(send('other')).rejects.toThrow('other serves no requests');
  expect(asked()).toBe(27);
  const early = watchedModel();
  await early.sends(5, 'other');
  expect(early.asked()).toBe(5);
});

test('once it serves again, everybody is served', async () => {
  const { send, answers, asked } = await starved();
  answers(served);
  await expect(Promise.all([send(), send(), send()])).resolves.toHaveLength(3);
  expect(asked()).toBe(27);
});

test('a crowd that did not last, and errors of an engine, keep nobody from asking', async () => {
  const model = watchedModel();
  await model.sends(100);
  model.answers(sampleError(502, 'backend_error'));
  await model.send();
  model.passes(60_000);
  await Promise.all([model.send(), model.send()]);
  expect(model.asked()).toBe(103);
});

test('a model that is not found is asked again where it served before', async () => {
  const { send, answers, asked } = watchedModel();
  answers(notFound);
  await expect(send()).resolves.toBe(notFound);
  expect(asked()).toBe(1);
  answers(served);
  await send();
  answers(notFound);
  const asking = send();
  setTimeout(() => answers(served), 10);
  await expect(asking).resolves.toBe(served);
});
