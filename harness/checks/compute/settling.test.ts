import { expect, test } from 'vitest';
import type { InstanceState } from '../../../schemas/compute/states.ts';
import { exchangeOf } from './exchange-fixture.ts';
import { type Journey, LAG_MS, settles } from './settling.ts';
import { outcomeOf } from './verdicts-fixture.ts';

const stop: Journey = { what: 'A stop', from: ['RUNNING'], through: ['STOPPING'], to: 'STOPPED' };

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
  expect(outcomeOf(settles(looks(10, ...states), stop))).toBe(outcome);
});

test('an accepted call that nothing comes of is broken once the lag is over', () => {
  const still = looks(LAG_MS / 4, ...Array<InstanceState>(6).fill('RUNNING'));
  expect(outcomeOf(settles(still, stop))).toBe('violated');
  const few = looks(LAG_MS * 2, 'RUNNING', 'RUNNING');
  expect(outcomeOf(settles(few, stop))).toBe('vacuous');
});
