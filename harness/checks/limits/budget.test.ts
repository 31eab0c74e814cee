import { expect, test } from 'vitest';
import {
  sampleError,
  sampleExchange,
  testVerdicts,
  withoutResponse,
} from '../router/sample.test.support.ts';
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
    'a deduction without both headers, or without an overrun',
    'unseen',
    deducted({ after: served }),
    deducted({ before: served, after: servedWith(0) }),
    deducted({ overrun: served }),
  ],
  [
    'a deduction where budgets may have been reset meanwhile',
    'unseen',
    deducted({ before: late, after: servedWith(1_890, MIDNIGHT) }),
    // The clock of a router need not agree with ours.
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
