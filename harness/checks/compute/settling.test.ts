import { expect, test } from 'vitest';
import type { InstanceState } from '../../../schemas/compute/states.ts';
import { exchangeOf } from './exchange.test.support.ts';
import {
  LAG_MS,
  leftBehind,
  repeatedTermination,
  settles,
  startOfStopped,
  stopOfRunning,
  stuckOnTheWay,
  termination,
} from './settling.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** Looks, `apartMs` milliseconds apart. */
function looks(apartMs: number, ...states: readonly InstanceState[]) {
  return states.map((state, index) => ({
    state,
    exchange: { ...exchangeOf(), startedAt: index * apartMs },
  }));
}

test.each([
  ['held', ['STOPPING', 'STOPPED']],
  ['held', ['STOPPED']],
  ['held', ['RUNNING', 'STOPPING', 'STOPPED']],
  ['vacuous', []],
  ['vacuous', ['STOPPING', 'STOPPING']],
  ['vacuous', ['RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'RUNNING']],
  ['vacuous', ['STOPPING', 'ERRORED', 'RUNNING']],
  ['violated', ['STOPPING', 'RUNNING']],
  ['violated', ['TERMINATED']],
  ['violated', ['RUNNING', 'STARTING']],
] as const)('%s: %j', (outcome, states) => {
  expect(outcomeOf(settles(looks(10, ...states), stopOfRunning))).toBe(outcome);
});

test('an accepted call that nothing comes of is broken once the lag is over', () => {
  const still = looks(LAG_MS / 4, ...Array<InstanceState>(6).fill('RUNNING'));
  expect(outcomeOf(settles(still, stopOfRunning))).toBe('violated');
  const few = looks(LAG_MS * 2, 'RUNNING', 'RUNNING');
  expect(outcomeOf(settles(few, stopOfRunning))).toBe('vacuous');
});

test('a termination may set out from any live state, and never returns to it', () => {
  expect(outcomeOf(settles(looks(10, 'STOPPED', 'TERMINATING', 'TERMINATED'), termination))).toBe(
    'held',
  );
  expect(outcomeOf(settles(looks(10, 'TERMINATING', 'STOPPED'), termination))).toBe('violated');
});

test.each([
  ['violated', 120_000, 300, ['STOPPING', 'STOPPING', 'STOPPING']],
  ['violated', 120_000, 2_300, ['RUNNING', 'STOPPING', 'STOPPING', 'STOPPING']],
  ['vacuous', 120_000, 2_500, ['STOPPING', 'STOPPING', 'STOPPING']],
  ['vacuous', 50_000, 300, ['STOPPING', 'STOPPING', 'STOPPING']],
  ['vacuous', 120_000, undefined, ['STOPPING', 'STOPPING', 'STOPPING']],
  ['vacuous', 120_000, 300, ['RUNNING', 'RUNNING', 'RUNNING']],
  ['vacuous', 120_000, 300, ['STOPPING', 'RUNNING', 'STOPPING']],
  ['vacuous', 120_000, 300, []],
] as const)('%s: stuck for %d ms after a boot of %j ms: %j', (outcome, wait, boot, states) => {
  const shown = looks(wait / 2, ...states);
  expect(outcomeOf(stuckOnTheWay(shown, stopOfRunning, boot))).toBe(outcome);
});

test('a teardown that never ends is broken once it was issued again', () => {
  const shown = looks(60_000, 'TERMINATING', 'TERMINATING', 'TERMINATING');
  expect(outcomeOf(stuckOnTheWay(shown, termination, 300))).toBe('vacuous');
  expect(outcomeOf(stuckOnTheWay(shown, repeatedTermination, 300))).toBe('violated');
});

test('a start that ends in STOPPED again says nothing: hosts fail, and hours end', () => {
  const back = looks(10, 'STOPPED', 'STARTING', 'STOPPED');
  expect(outcomeOf(settles(back, startOfStopped))).toBe('vacuous');
  const gone = looks(10, 'STOPPED', 'STARTING', 'TERMINATED');
  expect(outcomeOf(settles(gone, startOfStopped))).toBe('violated');
});

test('a record that stays behind the list is broken', () => {
  expect(outcomeOf(leftBehind(looks(10, 'STOPPING'), stopOfRunning))).toBe('violated');
});
