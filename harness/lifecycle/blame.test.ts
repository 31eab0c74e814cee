import { expect, test } from 'vitest';
import { blameForAnswer, blameForLook, creditForAnswer } from './blame.ts';

test.each([
  ['stop-instance.running-accepted', { action: 'stop', outcome: 'conflict' }, ['RUNNING']],
  ['stop-instance.terminated-conflict', { action: 'stop', outcome: 'accepted' }, ['TERMINATED']],
  [
    'stop-instance.terminating-conflict',
    { action: 'stop', outcome: 'accepted' },
    ['TERMINATING', 'TERMINATED'],
  ],
  [
    'terminate-instance.terminated-conflict',
    { action: 'terminate', outcome: 'failed' },
    ['TERMINATED'],
  ],
  [
    'terminate-instance.terminating-no-conflict',
    { action: 'terminate', outcome: 'conflict' },
    ['RUNNING'],
  ],
  ['terminate-instance.running-accepted', { action: 'terminate', outcome: 'refused' }, ['RUNNING']],
  ['start-instance.stopped-accepted', { action: 'start', outcome: 'refused' }, ['STOPPED']],
] as const)('%s is broken by %j where %j', (id, call, visible) => {
  expect(blameForAnswer(call, visible)).toBe(`compute.${id}`);
});

test.each([
  ['order-kept', [], 'STOPPED'],
  ['terminated-stays', [], 'TERMINATED'],
  ['running-stop-settles', [{ action: 'stop', outcome: 'accepted' }], 'RUNNING'],
  ['terminate-settles', [{ action: 'terminate', outcome: 'accepted' }], 'RUNNING'],
  ['order-kept', [{ action: 'start', outcome: 'accepted' }], 'RUNNING'],
  [
    'concurrent-calls',
    [
      { action: 'stop', outcome: 'accepted' },
      { action: 'stop', outcome: 'accepted' },
    ],
    'RUNNING',
  ],
] as const)('%s is broken by a look after %j of what was %s', (id, calls, last) => {
  expect(blameForLook(calls, last)).toBe(`compute.states.${id}`);
});

test('a refusal that a look contradicts is blamed on the refusal', () => {
  expect(blameForLook([{ action: 'stop', outcome: 'conflict' }], 'RUNNING')).toBe(
    'compute.stop-instance.running-accepted',
  );
});

test('what fits a passing state is credited', () => {
  expect(creditForAnswer({ action: 'terminate', outcome: 'accepted' }, 'STOPPING')).toBe(
    'compute.terminate-instance.stopping-accepted',
  );
  expect(creditForAnswer({ action: 'terminate', outcome: 'accepted' }, 'RUNNING')).toBeUndefined();
});
