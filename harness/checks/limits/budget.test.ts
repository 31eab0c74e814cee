import { describe, expect, test } from 'vitest';
import type { HeaderLines } from '../../exchange/exchange.ts';
import {
  answers,
  sampleError,
  sampleExchange,
  testAnswers,
} from '../router/sample.test.support.ts';
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
const refusalAs = (type: string, ...further: HeaderLines) =>
  sampleError(429, 'token_limit_exceeded', 'router', {
    headers: [['Content-Type', type], ...further],
  });
const refusal = (...further: HeaderLines) => refusalAs('application/json', ...further);
const left = (tokens: number) => ['X-RateLimit-Remaining-Tokens', String(tokens)] as const;
const refusedWith = (tokens: number) => refusal(left(tokens));
const servedWith = (tokens: number, startedAt = NOON) =>
  sampleExchange({ headers: [left(tokens)], startedAt });
const { served } = answers;
const refused = refusal();
const fits = { fitsModel: true };

testAnswers(
  [
    ['over the budget', refusedForBudget, 'refused | served limited | tooLong bad crowded share'],
    ['over it and fit', (one) => refusedForBudget(one, fits), '| bad tooLong | crowded'],
    ['over the budget of a stream', refusedBeforeStream, 'refused | streamed'],
    ['over it and fit for a stream', (one) => refusedBeforeStream(one, fits), '| tooLong'],
    ['a spent budget on the next day', backNextDay, 'served | refused | noCapacity'],
    ['a reduced request', (one) => servedOnceReduced(one, refused), 'served | refused'],
    ['a reduced request after a success', (one) => servedOnceReduced(one, served), '|| served'],
    ['a key beside a spent one', keptItsBudget, 'served | refused | noAgents'],
    ['after an overrun', saysNoTokensRemain, 'zeroLeft | someLeft refused failed | served'],
    ['an input within the caps', notTooLong, 'served | tooLong | lost'],
    ['two images within the cap', (one) => imagesNotTooMany(one, 2), '| tooLong'],
    ['two images in 4,000 tokens', (one) => imagesNotTooMany(one, 2, 4_000), '| tooLong'],
    ['two images in 100 tokens', (one) => imagesNotTooMany(one, 2, 100), 'served || tooLong'],
  ],
  {
    refused,
    zeroLeft: refusedWith(0),
    someLeft: refusedWith(7),
    bad: sampleError(400, 'invalid_parameter'),
    share: sampleError(429, 'rate_limit_exceeded', 'router', { headers: [['Retry-After', '1']] }),
    streamed: refusalAs('text/event-stream'),
  },
);

const around = { before: servedWith(1_900), overrun: refusedWith(0), promptTokens: 600 };
const deducted = (parts: Partial<Parameters<typeof promptStaysDeducted>[0]>) =>
  promptStaysDeducted({ ...around, after: servedWith(1_890), ...parts });
const late = servedWith(1_900, MIDNIGHT - 5_000);
const [zero, SOON] = [servedWith(0), MIDNIGHT - 3_000];

testVerdicts([
  ['all of the prompt stays deducted', 'held', deducted({ after: servedWith(1_300) })],
  ['a good part of it', 'held', deducted({ after: servedWith(1_750) })],
  ['none of it', 'broken', deducted({})],
  ['a deduction without a header', 'unseen', deducted({ after: served })],
  ['a deduction without the header before', 'unseen', deducted({ before: served, after: zero })],
  ['a deduction from nothing', 'unseen', deducted({ before: refusedWith(0), after: zero })],
  ['a deduction without an overrun', 'unseen', deducted({ overrun: served })],
  ['a reset meanwhile', 'unseen', deducted({ before: late, after: servedWith(1_890, MIDNIGHT) })],
  // The router's clock may differ from ours.
  ['a reset soon', 'unseen', deducted({ before: late, after: servedWith(1_890, SOON) })],
]);

test.each([
  [90, 90, 70, true],
  [90, 80, 60, true],
  [90, 80, 70, false],
  [90, 90, 90, false],
])('of refusals with %i, %i and %i left the last took some: %s', (one, two, three, took) => {
  const [second, third] = [refusedWith(two), refusedWith(three)];
  expect(tookOfBudget([refusedWith(one), second, third])).toBe(took);
  expect(tookOfBudget([refused, second, third])).toBe(false);
});

describe('the clock of an answer', () => {
  const HOUR = 3_600_000;

  /** A response that came at noon by our clock. */
  function answered(date?: string) {
    const headers = date === undefined ? [] : [['Date', date] as const];
    return { ...sampleExchange({ headers, startedAt: NOON }), headMs: 500 };
  }

  test.for([
    ['Thu, 01 Jan 2026 12:00:00 GMT', 0],
    ['Thu, 01 Jan 2026 13:00:00 GMT', HOUR],
    ['noon', undefined],
    [undefined, undefined],
  ] as const)('that says %s is ahead by %s', ([date, ahead]) => {
    expect(clockAheadMs(answered(date))).toBe(ahead);
  });

  test('a UTC day has an end', () => {
    expect(untilMidnightMs(NOON)).toBe(12 * HOUR);
    expect(untilMidnightMs(NOON + 12 * HOUR - 1)).toBe(1);
  });

  test.for([
    ['an hour later', 0, HOUR, undefined, true],
    ['an hour later, where midnight is half an hour off', 0, HOUR, '23:30', false],
    ['a quarter of an hour later', 0, HOUR / 4, '23:30', true],
    ['near midnight', 12 * HOUR - 30_000, 12 * HOUR - 20_000, undefined, false],
  ] as const)('the budget is that of the same day %s: %s', ([, from, to, time, same]) => {
    const answer = answered(time && `Thu, 01 Jan 2026 ${time}:00 GMT`);
    expect(isSameBudgetDay(NOON + from, NOON + to, answer)).toBe(same);
  });
});
