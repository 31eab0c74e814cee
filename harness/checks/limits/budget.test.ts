import { describe, expect, test } from 'vitest';
import { sampleError, sampleExchange, withoutResponse } from '../router/sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';
import {
  backNextDay,
  imagesNotTooMany,
  keptItsBudget,
  notTooLong,
  promptStaysDeducted,
  refusedBeforeStream,
  refusedForBudget,
  saysNoTokensRemain,
  servedOnceReduced,
  tookOfBudget,
} from './budget.ts';
import { clockAheadMs, isSameBudgetDay, untilMidnightMs } from './quota.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const MIDNIGHT = Date.UTC(2026, 0, 2);
const refusal = (...further: readonly (readonly [string, string])[]) =>
  sampleError(429, 'token_limit_exceeded', 'router', {
    headers: [['Content-Type', 'application/json'], ...further],
  });
const left = (tokens: number) => ['X-RateLimit-Remaining-Tokens', String(tokens)] as const;
const refusedWith = (tokens: number) => refusal(left(tokens));
const servedWith = (tokens: number, startedAt = NOON) =>
  sampleExchange({ headers: [left(tokens)], startedAt });
const served = sampleExchange();
const refused = refusal();
const crowded = sampleError(429, 'concurrency_limit_exceeded');
const tooLong = sampleError(400, 'input_too_long');
const invalid = sampleError(400, 'invalid_parameter');
const overShare = sampleError(429, 'rate_limit_exceeded', 'router', {
  headers: [['Retry-After', '1']],
});
const streamed = sampleError(429, 'token_limit_exceeded', 'router', {
  headers: [['Content-Type', 'text/event-stream']],
});
const fits = { fitsModel: true };
const around = { before: servedWith(1_900), overrun: refusedWith(0), promptTokens: 600 };
const deducted = (parts: Partial<Parameters<typeof promptStaysDeducted>[0]>) =>
  promptStaysDeducted({ ...around, after: servedWith(1_890), ...parts });
const late = servedWith(1_900, MIDNIGHT - 5_000);

testVerdicts([
  ['a request over the budget', 'held', refusedForBudget(refused), refusedBeforeStream(refused)],
  ['a request over the budget', 'broken', refusedForBudget(served)],
  [
    'a refusal by another code',
    'broken',
    refusedForBudget(sampleError(429, 'rate_limit_exceeded')),
  ],
  [
    'a refusal for another limit',
    'unseen',
    ...[tooLong, invalid, crowded, overShare].map((one) => refusedForBudget(one)),
    refusedForBudget(crowded, fits),
  ],
  [
    'what the model takes from another key',
    'broken',
    refusedForBudget(invalid, fits),
    refusedForBudget(tooLong, fits),
    refusedBeforeStream(tooLong, fits),
  ],
  ['the refusal of a stream as a stream', 'broken', refusedBeforeStream(streamed)],
  ['a spent budget on the next day', 'held', backNextDay(served)],
  ['a spent budget on the next day', 'broken', backNextDay(refused)],
  ['a spent budget on the next day', 'unseen', backNextDay(sampleError(503, 'no_capacity'))],
  ['a reduced request', 'held', servedOnceReduced(served, refused)],
  ['a reduced request', 'broken', servedOnceReduced(refused, refused)],
  ['a reduced request', 'unseen', servedOnceReduced(served, served)],
  ['a key beside a spent one', 'held', keptItsBudget(served)],
  ['a key beside a spent one', 'broken', keptItsBudget(refused)],
  ['a key beside a spent one', 'unseen', keptItsBudget(sampleError(503, 'no_agents_available'))],
  ['the refusal of an overrun', 'held', saysNoTokensRemain(refusedWith(0))],
  [
    'the refusal of an overrun',
    'broken',
    ...[refusedWith(7), refused, sampleError(500, 'backend_error')].map(saysNoTokensRemain),
  ],
  ['the refusal of an overrun', 'unseen', saysNoTokensRemain(served)],
  [
    'a good part of the prompt stays deducted',
    'held',
    deducted({ after: servedWith(1_300) }),
    deducted({ after: servedWith(1_750) }),
  ],
  ['the prompt comes back', 'broken', deducted({})],
  [
    'a deduction without both headers, from nothing, or without an overrun',
    'unseen',
    deducted({ after: served }),
    deducted({ before: served, after: servedWith(0) }),
    deducted({ before: refusedWith(0), after: servedWith(0) }),
    deducted({ overrun: served }),
  ],
  [
    'a deduction where budgets may have been reset meanwhile',
    'unseen',
    deducted({ before: late, after: servedWith(1_890, MIDNIGHT) }),
    // The router's clock may differ from ours.
    deducted({ before: late, after: servedWith(1_890, MIDNIGHT - 3_000) }),
  ],
  ['an input within the caps', 'held', notTooLong(served)],
  ['an input within the caps', 'broken', notTooLong(tooLong)],
  ['an input within the caps', 'unseen', notTooLong(withoutResponse(served))],
  [
    'images within the cap',
    'broken',
    imagesNotTooMany(tooLong, 2),
    imagesNotTooMany(tooLong, 2, 4_000),
  ],
  ['images within the cap', 'unseen', imagesNotTooMany(tooLong, 2, 100)],
  ['images within the cap', 'held', imagesNotTooMany(served, 2, 100)],
]);

test.each([
  [90, 90, 70, true],
  [90, 80, 60, true],
  [90, 80, 70, false],
  [90, 90, 90, false],
])(
  'what a request took of a budget is what refusals beside it did not (%#)',
  (one, two, three, took) => {
    const [second, third] = [refusedWith(two), refusedWith(three)];
    expect(tookOfBudget([refusedWith(one), second, third])).toBe(took);
    expect(tookOfBudget([refused, second, third])).toBe(false);
  },
);

describe('the clock of an answer', () => {
  const HOUR = 3_600_000;

  /** A response that came at noon by our clock. */
  function answered(date?: string) {
    const headers = date === undefined ? [] : [['Date', date] as const];
    return { ...sampleExchange({ headers, startedAt: NOON }), headMs: 500 };
  }

  test('the clock of an answer is that of its Date', () => {
    expect(clockAheadMs(answered('Thu, 01 Jan 2026 12:00:00 GMT'))).toBe(0);
    expect(clockAheadMs(answered('Thu, 01 Jan 2026 13:00:00 GMT'))).toBe(HOUR);
    expect(clockAheadMs(answered('noon'))).toBeUndefined();
    expect(clockAheadMs(answered())).toBeUndefined();
  });

  test('a UTC day has an end', () => {
    expect(untilMidnightMs(NOON)).toBe(12 * HOUR);
    expect(untilMidnightMs(NOON + 12 * HOUR - 1)).toBe(1);
  });

  test('a budget is that of the day which the answers tell, and near midnight of none', () => {
    const evening = answered('Thu, 01 Jan 2026 23:30:00 GMT');
    expect(isSameBudgetDay(NOON, NOON + HOUR, answered())).toBe(true);
    expect(isSameBudgetDay(NOON, NOON + HOUR, evening)).toBe(false);
    expect(isSameBudgetDay(NOON, NOON + HOUR / 4, evening)).toBe(true);
    expect(isSameBudgetDay(NOON + 12 * HOUR - 30_000, NOON + 12 * HOUR - 20_000, answered())).toBe(
      false,
    );
  });
});
