import { describe, expect, test } from 'vitest';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import { sameForBoth, showsNoneOf, foreignNotFound } from './scoping.ts';
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
  const refusal = (status: number, code: string) =>
    exchangeOf({ status, body: { error: { code, message: '', request_id: 'r' } } });
  const [found, forbidden] = [refusal(404, 'NOT_FOUND'), refusal(403, 'FORBIDDEN')];

  test.each([
    ['is not found', found, found, 'held'],
    ['is no 403 where others are not found', forbidden, found, 'violated'],
    ['may be forbidden by a policy that forbids all of them', forbidden, forbidden, 'vacuous'],
    ['may be forbidden by one that is not known', forbidden, undefined, 'vacuous'],
    ['is no conflict', refusal(409, 'X'), undefined, 'violated'],
  ] as const)('%s', (_what, foreign, unknown, outcome) => {
    expect(outcomeOf(foreignNotFound(foreign, unknown, 'A stop'))).toBe(outcome);
  });
});
