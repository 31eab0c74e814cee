import { expect, test } from 'vitest';
import {
  sampleError,
  sampleExchange,
  testVerdicts,
  withoutResponse,
} from '../router/sample.test.support.ts';
import {
  backNextDay,
  servedOnceReduced,
  imagesNotTooMany,
  keptItsBudget,
  notTooLong,
  promptStaysDeducted,
  refusedBeforeStream,
  refusedForBudget,
  saysNoTokensRemain,
  tookOfBudget,
} from './budget.ts';

const left = (tokens: number): readonly [string, string] => [
  'X-RateLimit-Remaining-Tokens',
  String(tokens),
];
const json: readonly [string, string] = ['Content-Type', 'application/json'];
const served = sampleExchange();
const refused = sampleError(429, 'token_limit_exceeded');
const refusedWith = (tokens: number) =>
  sampleError(429, 'token_limit_exceeded', 'router', { headers: [json, left(tokens)] });
const NOON = Date.UTC(2026, 0, 1, 12);
const servedWith = (tokens: number, startedAt = NOON) =>
  sampleExchange({ headers: [json, left(tokens)], startedAt });

test('a request over the budget is refused with its code', () => {
  expect(refusedForBudget(refused).violations).toEqual([]);
  expect(refusedForBudget(served).violations).toHaveLength(1);
  expect(refusedForBudget(sampleError(429, 'rate_limit_exceeded')).violations).toHaveLength(1);
});

test('what the model takes from another key is refused for the budget alone', () => {
  const refusal = sampleError(400, 'invalid_parameter');
  expect(refusedForBudget(refusal, { fitsModel: true }).violations).toHaveLength(1);
});

test.each([
  sampleError(400, 'input_too_long'),
  sampleError(400, 'invalid_parameter'),
  sampleError(429, 'concurrency_limit_exceeded'),
  sampleError(429, 'rate_limit_exceeded', 'router', { headers: [json, ['Retry-After', '1']] }),
])('a refusal for another limit shows nothing of the budget (%#)', (exchange) => {
  expect(refusedForBudget(exchange).seen).toBe(0);
});

test('a refusal for a cap is wrong where the model takes the same from others', () => {
  const capped = sampleError(400, 'input_too_long');
  expect(refusedForBudget(capped, { fitsModel: true }).violations).toHaveLength(1);
  expect(refusedBeforeStream(capped, { fitsModel: true }).violations).toHaveLength(1);
  const crowded = sampleError(429, 'concurrency_limit_exceeded');
  expect(refusedForBudget(crowded, { fitsModel: true }).seen).toBe(0);
});

test('a budget that was spent is back on the next day', () => {
  expect(backNextDay(served)).toEqual({ seen: 1, violations: [] });
  expect(backNextDay(refused).violations).toHaveLength(1);
  expect(backNextDay(sampleError(503, 'no_capacity')).seen).toBe(0);
});

test('what a request took of a budget is what refusals beside it did not', () => {
  expect(tookOfBudget([refusedWith(90), refusedWith(90), refusedWith(70)])).toBe(true);
  expect(tookOfBudget([refusedWith(90), refusedWith(80), refusedWith(60)])).toBe(true);
  expect(tookOfBudget([refusedWith(90), refusedWith(80), refusedWith(70)])).toBe(false);
  expect(tookOfBudget([refusedWith(90), refusedWith(90), refusedWith(90)])).toBe(false);
  expect(tookOfBudget([refused, refusedWith(90), refusedWith(70)])).toBe(false);
});

test('the refusal of a stream is no stream', () => {
  expect(refusedBeforeStream(refused).violations).toEqual([]);
  const streamed = sampleError(429, 'token_limit_exceeded', 'router', {
    headers: [['Content-Type', 'text/event-stream']],
  });
  expect(refusedBeforeStream(streamed).violations).toHaveLength(1);
});

test('a reduced request passes after the one that did not fit', () => {
  expect(servedOnceReduced(served, refused).violations).toEqual([]);
  expect(servedOnceReduced(refused, refused).violations).toHaveLength(1);
  expect(servedOnceReduced(served, served).seen).toBe(0);
});

test('a key with room is not refused for what another key has spent', () => {
  expect(keptItsBudget(served)).toEqual({ seen: 1, violations: [] });
  expect(keptItsBudget(refused).violations).toHaveLength(1);
  expect(keptItsBudget(sampleError(503, 'no_agents_available')).seen).toBe(0);
});

test('the refusal of an overrun says that nothing remains', () => {
  expect(saysNoTokensRemain(refusedWith(0)).violations).toEqual([]);
  expect(saysNoTokensRemain(refusedWith(7)).violations).toHaveLength(1);
  expect(saysNoTokensRemain(refused).violations).toHaveLength(1);
  expect(saysNoTokensRemain(sampleError(500, 'backend_error')).violations).toHaveLength(1);
  expect(saysNoTokensRemain(served).seen).toBe(0);
});

test('a good part of the prompt stays deducted', () => {
  const around = { before: servedWith(1_900), overrun: refusedWith(0), promptTokens: 600 };
  expect(promptStaysDeducted({ ...around, after: servedWith(1_300) }).violations).toEqual([]);
  expect(promptStaysDeducted({ ...around, after: servedWith(1_750) }).violations).toEqual([]);
  expect(promptStaysDeducted({ ...around, after: servedWith(1_890) }).violations).toHaveLength(1);
});

test('where budgets may have been reset meanwhile, nothing is seen of the deduction', () => {
  const midnight = Date.UTC(2026, 0, 2);
  const around = { overrun: refusedWith(0), promptTokens: 600, after: servedWith(1_890, midnight) };
  const before = servedWith(1_900, midnight - 5_000);
  expect(promptStaysDeducted({ ...around, before }).seen).toBe(0);
  // The clock of a router need not agree with ours.
  const soon = servedWith(1_890, midnight - 3_000);
  expect(promptStaysDeducted({ ...around, before, after: soon }).seen).toBe(0);
});

test('without both headers, or without an overrun, nothing is seen of the deduction', () => {
  const around = { before: servedWith(1_900), overrun: refused, promptTokens: 600 };
  expect(promptStaysDeducted({ ...around, after: served }).seen).toBe(0);
  expect(promptStaysDeducted({ ...around, before: served, after: servedWith(0) }).seen).toBe(0);
  expect(promptStaysDeducted({ ...around, overrun: served, after: servedWith(1_890) }).seen).toBe(
    0,
  );
});

const tooLong = sampleError(400, 'input_too_long');
testVerdicts([
  ['an input within the caps is not too long', 'held', notTooLong(served)],
  ['an input within the caps is not too long', 'broken', notTooLong(tooLong)],
  ['no response', 'unseen', notTooLong(withoutResponse(served))],
  [
    'images are refused',
    'broken',
    imagesNotTooMany(tooLong, 2),
    imagesNotTooMany(tooLong, 2, 4_000),
  ],
  ['images may be over the token cap', 'unseen', imagesNotTooMany(tooLong, 2, 100)],
  ['images are served', 'held', imagesNotTooMany(served, 2, 100)],
]);
