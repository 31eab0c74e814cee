import { expect, test } from 'vitest';
import { underUsedId } from './request-ids.ts';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';

const ID = '4b4cf3a6-6c4f-4d2f-9b7e-3a1f5c0d9e21';
const served = sampleExchange();
const limited = sampleError(429, 'rate_limit_exceeded', 'router');
const failed = sampleError(503, 'no_capacity', 'router');

/** The result of `underUsedId` when repeated requests are served; `asked` counts the calls of `ask`. */
async function taken(ask: (id: string, nth: number) => typeof served, first = limited) {
  let asked = 0;
  const send = async (repeat: boolean) => (repeat ? served : first);
  const answer = await underUsedId({ id: ID, send, ask: async (id) => ask(id, (asked += 1)) });
  return { answer, asked };
}

test('an answer that speaks of no rate is taken as it is', async () => {
  for (const first of [served, failed]) {
    expect(await taken(() => served, first)).toEqual({ answer: first, asked: 0 });
  }
});

test('a rate limit that meets the used id alone is the answer', async () => {
  const { answer } = await taken((id) => (id === ID ? limited : served));
  expect(answer).toBe(limited);
});

test('a rate limit that meets whatever comes, or every other request, is waited out', async () => {
  expect((await taken(() => limited)).answer).toBe(served);
  expect((await taken(() => served)).answer).toBe(served);
  expect((await taken((_id, nth) => (nth % 2 === 0 ? limited : served))).answer).toBe(served);
});

test('a request that got no answer is sent again', async () => {
  const unreachable = { ...served, response: undefined, ending: 'unreachable' } as const;
  expect((await taken(() => served, unreachable)).answer).toBe(served);
});
