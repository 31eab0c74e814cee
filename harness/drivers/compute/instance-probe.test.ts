import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { stopOfRunning } from '../../checks/compute/settling.ts';
import { outcomeOf } from '../../checks/verdict.test.support.ts';
import { inTurn } from '../in-turn.test.support.ts';
import { InstanceProbe, type Watching } from './instance-probe.ts';
import { watchingWith } from './watching.test.support.ts';

/** An instance that is seen in these states in turn, and then in the last one. */
function seenIn(states: readonly string[], judged: Judgement[] = []): Watching {
  const next = inTurn(...states);
  return watchingWith({
    observe: async () => ({ status: next(), record: {}, exchange: exchangeOf() }),
    judge: (_, judgement) => void judged.push(judgement),
  });
}

test.each([
  [['CREATED', 'STARTING', 'RUNNING'], 'RUNNING'],
  [['STOPPING', 'STOPPED'], 'STOPPED'],
  [['ERRORED'], 'ERRORED'],
  // Somebody else terminates the instance.
  [['TERMINATING', 'TERMINATED'], 'TERMINATED'],
])('an instance that is seen in %j rests in %s', async (states, expected) => {
  expect(await new InstanceProbe(seenIn(states), 'id').rest()).toBe(expected);
});

test.each([
  [['STOPPED', 'STOPPED', 'STOPPED', 'TERMINATING'], 'TERMINATING'],
  [['STOPPED', 'TERMINATED'], 'TERMINATED'],
  [['STOPPED', 'RUNNING'], 'RUNNING'],
  [['STOPPED', 'STOPPED', 'of its own'], 'of its own'],
])('of %j a copy that is behind shows the first ones for a while', async (states, expected) => {
  const probe = new InstanceProbe(seenIn(states), 'id');
  await probe.observe();
  expect((await probe.observeFresh('TERMINATING', 'TERMINATED'))?.status).toBe(expected);
});

test.each([
  ['a copy that is behind is looked at again', ['STOPPED', 'STARTING', 'STOPPED', 'RUNNING'], 0],
  ['what comes back after a stop is not', ['STOPPED', 'RUNNING', 'STOPPING', 'RUNNING'], 1],
])('after a start, %s', async (_, states, violations) => {
  const judged: Judgement[] = [];
  const probe = new InstanceProbe(seenIn(states, judged), 'id', true);
  await probe.observe();
  probe.startedSince();
  for (let more = 1; more < states.length; more += 1) await probe.observe();
  expect(judged.flatMap((one) => one.violations)).toHaveLength(violations);
});

test('a second start explains no look of a copy that is behind', async () => {
  const probe = new InstanceProbe(seenIn(['RUNNING', 'STARTING', 'STOPPING']), 'id', true);
  await probe.observe();
  probe.startedSince();
  expect((await probe.observe())?.status).toBe('STOPPING');
});

/** Follows a stop of an instance that booted at once; it is seen in these states, `apartSeconds` apart. */
async function stopSeen(states: readonly string[], apartSeconds: number, listed?: string) {
  let at = 0;
  const shown = (status: string) => ({
    status,
    record: {},
    exchange: { ...exchangeOf(), startedAt: at },
  });
  const next = inTurn(...states);
  const t = watchingWith({
    bindings: { getInstance: { record: '$' } },
    observe: async () => {
      const status = next();
      at += apartSeconds * 1_000;
      return status === '' ? undefined : shown(status);
    },
    observeInList: async () => (listed === undefined ? undefined : shown(listed)),
  });
  const probe = new InstanceProbe(t, 'id', true, performance.now());
  await probe.observe();
  return outcomeOf(await probe.follow(stopOfRunning));
}

test.for<readonly [string, readonly string[], string | undefined, string]>([
  ['stays on its way is stuck', ['RUNNING', 'STOPPING'], undefined, 'broken'],
  ['goes out of sight is not', ['RUNNING', 'STOPPING', 'STOPPING', ''], undefined, 'unseen'],
  ['has ended in the list is not', ['RUNNING', 'STOPPING'], 'STOPPED', 'unseen'],
  ['ends late is held', ['RUNNING', 'STOPPING', 'STOPPING', 'STOPPED'], undefined, 'held'],
])('a stop that %s', async ([, states, listed, outcome]) => {
  expect(await stopSeen(states, 61, listed)).toBe(outcome);
});
