import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { refusedEverywhere } from './serverless.ts';

const REPLICAS = 4;
const four = { limits: { replicas: REPLICAS } };

/** A router of so many replicas that work in turn, of which so many refuse the key. */
function sender(replicas: number, over: number) {
  let sent = 0;
  return async () => {
    const isOver = sent % replicas < over;
    sent += 1;
    return Promise.resolve(
      isOver ? sampleError(429, 'rate_limit_exceeded') : sampleExchange({ status: 200 }),
    );
  };
}

test('a key is refused everywhere when each replica refuses it', async () => {
  expect(await refusedEverywhere(four, sender(1, 1))).toBe(true);
  expect(await refusedEverywhere(four, sender(REPLICAS, REPLICAS))).toBe(true);
});

test('a key is not refused everywhere as long as one replica serves it', async () => {
  expect(await refusedEverywhere(four, sender(REPLICAS, REPLICAS - 1))).toBe(false);
  expect(await refusedEverywhere(four, sender(1, 0))).toBe(false);
});
