import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import { sameForBoth, showsNoneOf } from './foreign.ts';
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
