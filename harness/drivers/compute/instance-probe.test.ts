import { isComputeTarget } from '../../../schemas/compute/target.ts';
import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { stopOfRunning } from '../../checks/compute/settling.ts';
import { outcomeOf } from '../../checks/verdict.test.support.ts';
import { InstanceProbe, type Watching } from './instance-probe.ts';

const FILE = 'contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: ${KEY} }';

/** An instance that is seen in these states in turn, and then in the last one. */
function seenIn(...states: readonly string[]): InstanceProbe {
  return new InstanceProbe(watching(states), 'id');
}

function watching(states: readonly string[], judged: Judgement[] = []): Watching {
  let looks = 0;
  const { target } = parseTarget(FILE, 'my.yaml', { KEY: 'a-key' });
  if (!isComputeTarget(target)) throw new Error('This is a compute target.');
  const answer = async () => exchangeOf();
  return {
    api: { get: answer, list: answer, start: answer, stop: answer, terminate: answer },
    target,
    bindings: {},
    signal: new AbortController().signal,
    session: {},
    disposable: async () => 'id',
    observe: async () => {
      const status = states[Math.min(looks, states.length - 1)] ?? '';
      looks += 1;
      return { status, record: {}, exchange: exchangeOf() };
    },
    observeInList: async () => undefined,
    transition: () => undefined,
    judge: (_, judgement) => void judged.push(judgement),
  };
}

test.each([
  [['CREATED', 'STARTING', 'RUNNING'], 'RUNNING'],
  [['STOPPING', 'STOPPED'], 'STOPPED'],
  [['ERRORED'], 'ERRORED'],
  // Somebody else terminates the instance.
  [['TERMINATING', 'TERMINATED'], 'TERMINATED'],
])('an instance that is seen in %j rests in %s', async (states, expected) => {
  expect(await seenIn(...states).rest()).toBe(expected);
});

test.each([
  [['STOPPED', 'STOPPED', 'STOPPED', 'TERMINATING'], 'TERMINATING'],
  [['STOPPED', 'TERMINATED'], 'TERMINATED'],
  [['STOPPED', 'RUNNING'], 'RUNNING'],
  [['STOPPED', 'STOPPED', 'of its own'], 'of its own'],
])('of %j a copy that is behind shows the first ones for a while', async (states, expected) => {
  const probe = seenIn(...states);
  await probe.observe();
  expect((await probe.observeFresh('TERMINATING', 'TERMINATED'))?.status).toBe(expected);
});

test.each([
  ['a copy that is behind is looked at again', ['STOPPED', 'STARTING', 'STOPPED', 'RUNNING'], 0],
  ['what comes back after a stop is not', ['STOPPED', 'RUNNING', 'STOPPING', 'RUNNING'], 1],
])('after a start, %s', async (_, states, violations) => {
  const judged: Judgement[] = [];
  const probe = new InstanceProbe(watching(states, judged), 'id', true);
  await probe.observe();
  probe.startedSince();
  for (let more = 1; more < states.length; more += 1) await probe.observe();
  expect(judged.flatMap((one) => one.violations)).toHaveLength(violations);
});

test('a second start explains no look of a copy that is behind', async () => {
  const probe = new InstanceProbe(watching(['RUNNING', 'STARTING', 'STOPPING']), 'id', true);
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
  const t: Watching = {
    ...watching([]),
    bindings: { getInstance: { record: '$' } },
    observe: async () => {
      const status = states[Math.min(at / apartSeconds / 1_000, states.length - 1)] ?? '';
      at += apartSeconds * 1_000;
      return status === '' ? undefined : shown(status);
    },
    observeInList: async () => (listed === undefined ? undefined : shown(listed)),
  };
  const probe = new InstanceProbe(t, 'id', true, performance.now());
  await probe.observe();
  return outcomeOf(await probe.follow(stopOfRunning));
}

test('a stop that stays on its way is stuck, unless the instance goes out of sight or the list shows its end', async () => {
  expect(await stopSeen(['RUNNING', 'STOPPING'], 61)).toBe('broken');
  expect(await stopSeen(['RUNNING', 'STOPPING', 'STOPPING', ''], 61)).toBe('unseen');
  expect(await stopSeen(['RUNNING', 'STOPPING'], 61, 'STOPPED')).toBe('unseen');
  expect(await stopSeen(['RUNNING', 'STOPPING', 'STOPPING', 'STOPPED'], 61)).toBe('held');
});
