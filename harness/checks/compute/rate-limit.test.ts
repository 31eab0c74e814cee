import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { limitedBy429, otherKeyServed, servedAfterWaits } from './answers.ts';

const answer = (status: number) => exchangeOf({ status, path: '/regions', body: {} });

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

test.each([
  [[200, 200, 429], 'held'],
  [[200, 200], 'vacuous'],
  [[200, 429, 403], 'violated'],
  [[200, 429, 503], 'held'],
  [[200, 500, 429], 'held'],
  [[500, 500, 500, 429], 'violated'],
])('calls answered with %j: %s', (statuses, expected) => {
  expect(outcome(limitedBy429(statuses.map(answer)))).toBe(expected);
});

test.each([
  [429, 200, 429, 'held'],
  [429, 429, 429, 'violated'],
  [429, 200, 200, 'vacuous'],
  [429, 503, 429, 'vacuous'],
  [429, 500, 429, 'vacuous'],
  [429, 403, 429, 'violated'],
])(
  'a limited key, another, the limited one again: %i, %i, %i: %s',
  (before, other, after, expected) => {
    expect(outcome(otherKeyServed(answer(before), answer(other), answer(after)))).toBe(expected);
  },
);

test.each([
  [[200], 'held'],
  [[429, 200], 'held'],
  [[429, 429], 'violated'],
  [[], 'vacuous'],
  [[503], 'vacuous'],
])('calls after waits, answered with %j: %s', (statuses, expected) => {
  expect(outcome(servedAfterWaits(statuses.map(answer)))).toBe(expected);
});
