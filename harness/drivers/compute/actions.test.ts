import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { likeUnknownInstance, restsInTheEnd, startWithRetries } from './actions.ts';
import { outcomeOf } from '../../checks/verdict.test.support.ts';
import { waits } from '../../runner/waits.ts';

/** Starts one instance of a deployment that gives these answers in turn, and then the last one. */
async function startedWith(...statuses: readonly number[]) {
  let calls = 0;
  const start = async (): Promise<Exchange> => {
    const status = statuses[Math.min(calls, statuses.length - 1)] ?? 202;
    calls += 1;
    return exchangeOf({ status });
  };
  const t = { api: { start }, signal: new AbortController().signal };
  const { answer, mayHaveStarted } = await startWithRetries(t, 'id');
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

const plain = exchangeOf({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
const traced = exchangeOf({ status: 404, body: { error: { code: 'NOT_FOUND' }, trace: 'x' } });

const t = { signal: new AbortController().signal };

function inTurn(...answers: readonly (typeof plain)[]) {
  let asked = 0;
  return async () => answers[asked++ % answers.length] ?? plain;
}

test('the same answer at once is asked for once', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return plain;
  };
  expect((await likeUnknownInstance(t, plain, ask, ask)).violations).toEqual([]);
  expect(asked).toBe(1);
});

test('a member that comes and goes in both tells nothing', async () => {
  const judgement = await likeUnknownInstance(t, traced, inTurn(plain), inTurn(plain, traced));
  expect(judgement.violations).toEqual([]);
});

test('a difference that stays is one', async () => {
  expect(
    (await likeUnknownInstance(t, traced, inTurn(traced), inTurn(plain))).violations,
  ).toHaveLength(1);
});

const HOUR_MS = 3_600_000;

function meter(...series: readonly (readonly number[])[]) {
  const left = [...series];
  const read = async () =>
    (left.shift() ?? []).map((hours, n) => ({
      hours,
      exchange: { ...exchangeOf(), startedAt: n * HOUR_MS },
    }));
  return { read, left };
}

test.each([
  ['held', [[2, 2, 2]], 0],
  [
    'held',
    [
      [2, 2.1, 2.2],
      [2.3, 2.3, 2.3],
    ],
    0,
  ],
  [
    'broken',
    [
      [2, 2.1, 2.2],
      [2.3, 2.4, 2.5],
    ],
    0,
  ],
  [
    'held',
    [
      [2, 2, 2],
      [2.3, 2.4, 2.5],
    ],
    1,
  ],
] as const)('%s: %j', async (outcome, series, unread) => {
  const { read, left } = meter(...series);
  const judgement = await restsInTheEnd(t, read, waits.onceMore);
  expect(outcomeOf(judgement)).toBe(outcome);
  expect(left.length).toBe(unread);
});
