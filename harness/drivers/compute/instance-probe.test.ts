import { isComputeTarget } from '../../../schemas/compute/target.ts';
import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { InstanceProbe, type Watching } from './instance-probe.ts';

const FILE = 'contract: compute\nbaseUrl: https://a.test/v1\nkeys: { primary: ${KEY} }';

/** An instance that is seen in these states, one after the other, and in the last one for ever. */
function seenIn(...states: readonly string[]): InstanceProbe {
  let looks = 0;
  const { target } = parseTarget(FILE, 'my.yaml', { KEY: 'a-key' });
  if (!isComputeTarget(target)) throw new Error('This is a compute target.');
  const answer = async () => exchangeOf();
  const t: Watching = {
    api: { get: answer, list: answer, start: answer, stop: answer, terminate: answer },
    target,
    bindings: {},
    signal: new AbortController().signal,
    disposable: async () => 'id',
    look: async () => {
      const status = states[Math.min(looks, states.length - 1)] ?? '';
      looks += 1;
      return { status, record: {}, exchange: exchangeOf() };
    },
    lookInList: async () => undefined,
    transition: () => undefined,
    judge: () => undefined,
  };
  return new InstanceProbe(t, 'id');
}

test.each([
  [['CREATED', 'STARTING', 'RUNNING'], 'RUNNING'],
  [['STOPPING', 'STOPPED'], 'STOPPED'],
  [['ERRORED'], 'ERRORED'],
  // Somebody else destroys it.
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
  await probe.look();
  expect((await probe.lookFresh('TERMINATING', 'TERMINATED'))?.status).toBe(expected);
});
