import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { earlyConflicts, noEarlyConflict, repeatedTerminate } from './actions.ts';
import type { InstanceState } from '../../../schemas/compute/states.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const answer = (status: number) => exchangeOf({ method: 'POST', status, body: actionRecord() });
const look = (status: string | undefined) =>
  status === undefined ? undefined : { status, exchange: exchangeOf() };

test.each([
  ['held', 202, 'TERMINATING'],
  ['held', 500, 'TERMINATING'],
  ['vacuous', 409, 'TERMINATING'],
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

/** The terminate that was accepted ends at 1 ms; looks and conflicts begin at so many. */
const at = (startedAt: number, status = 200) => ({ ...answer(status), startedAt });
const looksAt = (...looks: readonly (readonly [number, InstanceState])[]) =>
  looks.map(([startedAt, state]) => ({ state, exchange: at(startedAt) }));

test.each([
  ['long before the end', 10, looksAt([5, 'TERMINATING'], [400, 'TERMINATING']), 'violated'],
  ['no look at the end', 10, looksAt([5, 'TERMINATING'], [700, 'TERMINATING']), 'violated'],
  ['just before', 300, looksAt([5, 'TERMINATING'], [400, 'TERMINATING']), 'vacuous'],
  ['seen at the end', 300, looksAt([5, 'TERMINATING'], [310, 'TERMINATED']), 'vacuous'],
  // A copy that is half a second behind shows TERMINATING for that long after the end.
  [
    'far behind',
    300,
    looksAt([5, 'RUNNING'], [480, 'TERMINATING'], [790, 'TERMINATING'], [810, 'TERMINATED']),
    'vacuous',
  ],
  [
    'how far is not known',
    300,
    looksAt([100, 'TERMINATING'], [790, 'TERMINATING'], [810, 'TERMINATED']),
    'vacuous',
  ],
  ['no copy is that far', 10, looksAt([5, 'RUNNING'], [4_500, 'TERMINATING']), 'violated'],
  [
    'a look before',
    10,
    looksAt([0, 'RUNNING'], [5, 'TERMINATING'], [400, 'TERMINATING']),
    'violated',
  ],
  ['erred', 10, looksAt([5, 'ERRORED'], [400, 'ERRORED']), 'vacuous'],
  ['out of sight', 10, [], 'vacuous'],
] as const)('conflicts of repeated terminates, %s', (_, conflictAt, looks, expected) => {
  expect(outcomeOf(earlyConflicts(at(0), [at(conflictAt, 409)], looks))).toBe(expected);
  expect(outcomeOf(earlyConflicts(at(0), [], looks))).toBe('vacuous');
});
