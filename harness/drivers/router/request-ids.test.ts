import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { underUsedId } from './request-ids.ts';
import {
  sampleError,
  sampleExchange,
  withoutResponse,
} from '../../checks/router/sample.test.support.ts';

const ID = '4b4cf3a6-6c4f-4d2f-9b7e-3a1f5c0d9e21';
const served = sampleExchange();
const limited = sampleError(429, 'rate_limit_exceeded', 'router');
const failed = sampleError(503, 'no_capacity', 'router');
const unreachable = withoutResponse(served);

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

test.for<[string, Parameters<typeof taken>[0], Exchange, Exchange?]>([
  ['meets the used id alone is the answer', (id) => (id === ID ? limited : served), limited],
  ['meets whatever comes is waited out', () => limited, served],
  ['is over is waited out', () => served, served],
  [
    'meets every other request is waited out',
    (_, nth) => (nth % 2 === 0 ? limited : served),
    served,
  ],
  ['was not reached is sent again', () => served, served, unreachable],
])('a first answer that %s', async ([, ask, answer, first]) => {
  expect((await taken(ask, first)).answer).toBe(answer);
});
