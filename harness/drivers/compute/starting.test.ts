import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { startPatiently } from './starting.ts';

/** Starts one instance of a deployment that answers with these, the last one for ever. */
async function startedWith(...statuses: readonly number[]) {
  let calls = 0;
  const start = async (): Promise<Exchange> => {
    const status = statuses[Math.min(calls, statuses.length - 1)] ?? 202;
    calls += 1;
    return exchangeOf({ status });
  };
  const t = { api: { start }, signal: new AbortController().signal };
  const { answer, mayHaveStarted } = await startPatiently(t, 'id');
  return { status: answer.response?.status, calls, mayHaveStarted };
}

test('a start that is accepted is sent once', async () => {
  expect(await startedWith(202)).toEqual({ status: 202, calls: 1, mayHaveStarted: false });
});

test('a refusal that passes does not count', async () => {
  expect(await startedWith(409, 202)).toEqual({ status: 202, calls: 2, mayHaveStarted: false });
});

test('what the account may not do is not asked again', async () => {
  expect(await startedWith(403)).toEqual({ status: 403, calls: 1, mayHaveStarted: false });
});

test('a try that failed may have started the instance', async () => {
  expect(await startedWith(500, 202)).toEqual({ status: 202, calls: 2, mayHaveStarted: true });
});
