import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { noEarlyConflict, repeatedTerminate } from './termination.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const answer = (status: number) => exchangeOf({ method: 'POST', status, body: actionRecord() });
const look = (status: string | undefined) =>
  status === undefined ? undefined : { status, exchange: exchangeOf() };

test.each([
  ['held', 202, 'TERMINATING'],
  ['held', 500, 'TERMINATING'],
  ['violated', 409, 'TERMINATING'],
  ['violated', 404, 'TERMINATING'],
  ['violated', 404, 'TERMINATED'],
  ['violated', 400, undefined],
  ['held', 202, 'TERMINATED'],
  ['held', 500, undefined],
  ['vacuous', 409, 'TERMINATED'],
  ['vacuous', 409, undefined],
  ['vacuous', 409, 'ERRORED'],
  ['vacuous', 503, 'TERMINATING'],
] as const)('a repeated terminate is %s: %d, and then %s', (outcome, status, state) => {
  expect(outcomeOf(repeatedTerminate(answer(status), look(state)))).toBe(outcome);
});

test.each([
  ['held', 202, 'TERMINATING'],
  ['held', 500, 'TERMINATED'],
  ['violated', 409, 'TERMINATING'],
  ['violated', 409, 'RUNNING'],
  ['vacuous', 409, 'TERMINATED'],
  ['vacuous', 409, undefined],
  ['vacuous', 502, 'RUNNING'],
] as const)('an early conflict is %s: %d, and then %s', (outcome, status, state) => {
  expect(outcomeOf(noEarlyConflict(answer(status), look(state)))).toBe(outcome);
});
