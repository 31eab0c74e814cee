import { describe, expect, test } from 'vitest';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  emptyForEmptyAccount,
  foreignNotFound,
  keptOut,
  sameForBoth,
  sameRefusal,
  shapeOf,
  showsNoneOf,
} from './scoping.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const mine = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const page = (...ids: readonly string[]) =>
  exchangeOf({ body: { data: ids.map((id) => listRecord({ instance_id: id })) } });

test.each([
  ['held', [mine], page()],
  ['held', [mine], page('0f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11')],
  ['held', [mine], exchangeOf({ status: 400 })],
  ['violated', [mine], page(mine)],
  ['violated', [mine], page(mine.toUpperCase())],
  ['vacuous', [], page(mine)],
  ['vacuous', [mine], exchangeOf({ status: 502 })],
] as const)('%s', (outcome, foreign, answer) => {
  expect(outcomeOf(showsNoneOf(foreign, answer, 'A filter'))).toBe(outcome);
});

test.each([
  ['held', 'a', 'a', 'a'],
  ['violated', 'a', 'b', 'a'],
  ['vacuous', 'a', 'b', 'b'],
] as const)('%s: %s, %s, %s', (outcome, first, other, again) => {
  expect(
    outcomeOf(sameForBoth({ first: [first], other: [other], again: [again] }, 'regions')),
  ).toBe(outcome);
});

describe('an action on an instance of another account', () => {
  const foreignRefusal = (status: number, code: string) =>
    exchangeOf({ status, body: { error: { code, message: '', request_id: 'r' } } });
  const [found, forbidden] = [foreignRefusal(404, 'NOT_FOUND'), foreignRefusal(403, 'FORBIDDEN')];

  test.each([
    ['is not found', found, found, 'held'],
    ['is no 403 where others are not found', forbidden, found, 'violated'],
    ['may be forbidden by a policy that forbids all of them', forbidden, forbidden, 'vacuous'],
    ['may be forbidden by one that is not known', forbidden, undefined, 'vacuous'],
    ['is no conflict', foreignRefusal(409, 'X'), undefined, 'violated'],
  ] as const)('%s', (_what, foreign, unknown, outcome) => {
    expect(outcomeOf(foreignNotFound(foreign, unknown, 'A stop'))).toBe(outcome);
  });
});

function refusal(status: number, error: Readonly<Record<string, unknown>>) {
  return exchangeOf({ status, body: { error } });
}

const unknownInstanceId = refusal(404, { code: 'NOT_FOUND', message: 'no x', request_id: 'r1' });

test('the same status, code and shape is the same refusal', () => {
  const foreign = refusal(404, { request_id: 'r2', code: 'NOT_FOUND', message: 'no y' });
  expect(sameRefusal(foreign, unknownInstanceId)).toMatchObject({ seen: 1, violations: [] });
});

test.each([
  ['status', refusal(403, { code: 'NOT_FOUND', message: '', request_id: 'r2' })],
  ['code', refusal(404, { code: 'FORBIDDEN', message: '', request_id: 'r2' })],
  ['shape', refusal(404, { code: 'NOT_FOUND', message: '', request_id: 'r2', owner: 'x' })],
  ['body', exchangeOf({ status: 404, body: 'no' })],
])('another %s tells them apart', (_, foreign) => {
  expect(sameRefusal(foreign, unknownInstanceId).violations).toHaveLength(1);
});

test('a member that comes and goes tells nothing apart', () => {
  const traced = { code: 'NOT_FOUND', message: '', request_id: 'r2', trace: 'x' };
  const foreign = refusal(404, traced);
  expect(sameRefusal(foreign, unknownInstanceId, refusal(404, traced)).violations).toEqual([]);
  expect(sameRefusal(foreign, unknownInstanceId, unknownInstanceId).violations).toHaveLength(1);
});

test('a rate limit in between says nothing', () => {
  expect(sameRefusal(refusal(429, {}), unknownInstanceId).seen).toBe(0);
});

test('a shape has names and types and no values', () => {
  expect(shapeOf({ b: [1, 2, 'x'], a: null })).toBe(shapeOf({ a: null, b: ['y', 3] }));
  expect(shapeOf({ a: 1 })).not.toBe(shapeOf({ a: '1' }));
});

test.each([
  [403, 'held'],
  [404, 'held'],
  [401, 'violated'],
  [500, 'violated'],
  [200, 'vacuous'],
  [503, 'vacuous'],
])('a key that policy keeps out and %i: %s', (status, expected) => {
  expect(outcomeOf(keptOut(exchangeOf({ status, body: {} })))).toBe(expected);
});

test.each([
  [200, [], 'held'],
  [200, [listRecord({ instance_id: 'theirs' })], 'violated'],
  [200, [listRecord({ instance_id: 'new' })], 'vacuous'],
  [404, [], 'violated'],
  [502, [], 'vacuous'],
])('an empty account that gets %i and %j: %s', (status, data, expected) => {
  const exchange = exchangeOf({ status, body: { data, pagination: { next: null, size: 50 } } });
  expect(outcomeOf(emptyForEmptyAccount(exchange, ['theirs']))).toBe(expected);
});
