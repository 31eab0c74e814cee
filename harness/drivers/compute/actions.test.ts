import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { likeUnknownInstance, restsInTheEnd, startWithRetries } from './actions.ts';
import { outcomeOf } from '../../checks/verdict.test.support.ts';
import { waits } from '../../runner/waits.ts';
import { inTurn } from '../in-turn.test.support.ts';

const t = { signal: new AbortController().signal };

test.for([
  ['that is accepted is sent once', [202], { status: 202, calls: 1, mayHaveStarted: false }],
  [
    'refused for a moment is accepted',
    [409, 202],
    { status: 202, calls: 2, mayHaveStarted: false },
  ],
  ['that is forbidden is not sent again', [403], { status: 403, calls: 1, mayHaveStarted: false }],
  [
    'that failed may have had its effect',
    [500, 202],
    { status: 202, calls: 2, mayHaveStarted: true },
  ],
] as const)('a start %s', async ([, statuses, expected]) => {
  let calls = 0;
  const next = inTurn(...statuses);
  const start = async (): Promise<Exchange> => {
    calls += 1;
    return exchangeOf({ status: next() });
  };
  const { answer, mayHaveStarted } = await startWithRetries({ ...t, api: { start } }, 'id');
  expect({ status: answer.response?.status, calls, mayHaveStarted }).toEqual(expected);
});

const plain = exchangeOf({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
const traced = exchangeOf({ status: 404, body: { error: { code: 'NOT_FOUND' }, trace: 'x' } });

test.for([
  ['the same answer at once is asked for once', plain, [plain], [plain], 0, { asked: 1 }],
  ['a member that comes and goes tells nothing', traced, [plain], [plain, traced], 0, {}],
  ['a difference that stays is one', traced, [traced], [plain], 1, {}],
] as const)('%s', async ([, first, foreign, unknown, violations, calls]) => {
  let asked = 0;
  const turns = (answers: readonly Exchange[]) => async () =>
    answers[asked++ % answers.length] ?? plain;
  const judgement = await likeUnknownInstance(t, first, turns(foreign), turns(unknown));
  expect({ violations: judgement.violations.length, asked }).toMatchObject({
    violations,
    ...calls,
  });
});

const HOUR_MS = 3_600_000;

test.each([
  ['held', ['2 2 2'], 0],
  ['held', ['2 2.1 2.2', '2.3 2.3 2.3'], 0],
  ['broken', ['2 2.1 2.2', '2.3 2.4 2.5'], 0],
  ['held', ['2 2 2', '2.3 2.4 2.5'], 1],
] as const)('%s: runtimes of %j', async (outcome, series, unread) => {
  const left = [...series];
  const read = async () =>
    (left.shift()?.split(' ') ?? []).map((hours, n) => ({
      hours: Number(hours),
      exchange: { ...exchangeOf(), startedAt: n * HOUR_MS },
    }));
  expect(outcomeOf(await restsInTheEnd(t, read, waits.onceMore))).toBe(outcome);
  expect(left.length).toBe(unread);
});
