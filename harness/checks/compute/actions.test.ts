import { describe, expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  earlyConflicts,
  mayBeAutomatic,
  noEarlyConflict,
  repeatedTerminate,
  shownBetween,
  stateIn,
  stillIn,
} from './actions.ts';
import { outcomeOf } from './verdicts.test.support.ts';
import type { InstanceState } from '../../../schemas/compute/states.ts';

describe('shown state', () => {
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
});

describe('termination', () => {
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
});

describe('automatic stop', () => {
  const left = (ttl_remaining_hours: number) => listRecord({ ttl_remaining_hours });

  test.each([
    ['RUNNING', 'STOPPING', 0.01],
    ['RUNNING', 'STOPPED', 0.01],
    ['STOPPING', 'STOPPED', 5],
  ])('from %s to %s with %d hours left nobody need have acted', (before, after, hours) => {
    expect(mayBeAutomatic(before, after, left(hours))).toBe(true);
  });

  test.each([
    ['RUNNING', 'STOPPED', 5],
    ['RUNNING', 'STOPPED', 0],
    ['RUNNING', 'TERMINATING', 0.01],
    ['STOPPED', 'RUNNING', 0.01],
  ])('from %s to %s with %d hours left somebody has acted', (before, after, hours) => {
    expect(mayBeAutomatic(before, after, left(hours))).toBe(false);
  });

  test('what is in no list tells no hours', () => {
    expect(mayBeAutomatic('RUNNING', 'STOPPED', undefined)).toBe(false);
  });

  test.each(['STOPPING', 'STOPPED'])('what the list showed as %s stopped before', (status) => {
    const listed = listRecord({ status, ttl_remaining_hours: 0 });
    expect(mayBeAutomatic('RUNNING', 'STOPPED', listed)).toBe(true);
  });
});
