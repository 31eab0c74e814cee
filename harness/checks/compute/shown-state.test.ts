import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { shownBetween, stateIn, stillIn } from './actions.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const look = (status: string) => ({ status, exchange: exchangeOf() });
const answer = (status: string) => exchangeOf({ status: 202, body: actionRecord({ status }) });

test.each([
  ['held', 'RUNNING', 'RUNNING', 'STOPPING'],
  ['held', 'RUNNING', 'STOPPING', 'STOPPED'],
  ['held', 'RUNNING', 'STOPPED', 'STOPPED'],
  ['violated', 'RUNNING', 'STARTING', 'STOPPED'],
  ['violated', 'RUNNING', 'STOPPED', 'STOPPING'],
  ['vacuous', 'RUNNING', 'ASLEEP', 'STOPPED'],
  ['vacuous', '', 'STOPPING', 'STOPPED'],
] as const)('%s: %s, then %s in the answer, then %s', (outcome, before, shown, after) => {
  expect(outcomeOf(shownBetween(look(before), answer(shown), look(after)))).toBe(outcome);
});

test('a refusal shows no state', () => {
  expect(stateIn(exchangeOf({ status: 409, body: actionRecord() }))).toBeUndefined();
});

test.each([
  ['held', 'RUNNING'],
  ['violated', 'STOPPING'],
  ['violated', ''],
  ['vacuous', 'ERRORED'],
] as const)('%s: %s after a call that must not move a running instance', (outcome, status) => {
  expect(outcomeOf(stillIn(look(status), ['RUNNING'], exchangeOf(), 'A refused stop'))).toBe(
    outcome,
  );
});
