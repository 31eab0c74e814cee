import { expect, test } from 'vitest';
import { blameForAnswer, blameForState, creditForAnswer, creditForState } from './blame.ts';
import type { Action, Answered, Outcome } from './model.ts';

const actions: readonly Action[] = ['stop', 'start', 'terminate'];
const outcomes: readonly Outcome[] = ['accepted', 'conflict', 'refused', 'failed'];

/** Calls written as `stop accepted`. */
function calls(...told: readonly string[]): readonly Answered[] {
  const all = actions.flatMap((action) => outcomes.map((outcome) => ({ action, outcome })));
  return told.flatMap((one) => all.filter(({ action, outcome }) => `${action} ${outcome}` === one));
}

test.each([
  ['stop-instance.running-accepted', 'stop conflict', ['RUNNING']],
  ['stop-instance.stopped-accepted', 'stop conflict', ['STOPPED', 'TERMINATING']],
  ['stop-instance.terminated-conflict', 'stop accepted', ['TERMINATED']],
  ['stop-instance.terminating-conflict', 'stop accepted', ['TERMINATING', 'TERMINATED']],
  ['terminate-instance.terminated-conflict', 'terminate failed', ['TERMINATED']],
  ['terminate-instance.terminating-no-conflict', 'terminate conflict', ['RUNNING']],
  ['terminate-instance.running-accepted', 'terminate refused', ['RUNNING']],
  ['start-instance.stopped-accepted', 'start refused', ['STOPPED']],
] as const)('%s is broken by %s where %j', (id, call, visible) => {
  for (const answered of calls(call)) {
    expect(blameForAnswer(answered, visible)).toBe(`compute.${id}`);
  }
});

test.each([
  ['states.order-kept', [], 'STOPPED'],
  ['states.order-kept', ['start accepted'], 'RUNNING'],
  ['states.running-stop-settles', ['stop accepted'], 'RUNNING'],
  ['states.stopped-stays', ['stop accepted'], 'STOPPED'],
  ['states.terminate-settles', ['terminate accepted'], 'RUNNING'],
  ['states.terminate-while-stopping-settles', ['stop accepted', 'terminate accepted'], 'RUNNING'],
  ['states.terminate-again-settles', ['terminate accepted', 'terminate accepted'], 'RUNNING'],
  ['states.refused-stop-keeps-terminating', ['stop conflict'], 'TERMINATING'],
  ['states.terminated-survives-start', ['terminate accepted', 'start conflict'], 'STOPPED'],
  ['states.terminated-stays', [], 'TERMINATED'],
  ['states.refused-stop-keeps-terminated', ['stop conflict'], 'TERMINATED'],
  ['states.terminated-survives-terminate', ['terminate conflict'], 'TERMINATED'],
  // A refusal that a look contradicts.
  ['stop-instance.running-accepted', ['stop conflict'], 'RUNNING'],
  ['stop-instance.stopped-accepted', ['stop conflict'], 'STOPPED'],
] as const)('%s is broken by a look after %j of what was %s', (id, told, before) => {
  expect(blameForState(calls(...told), before, false, 'RUNNING')).toBe(`compute.${id}`);
});

test('a wrong answer is blamed when the instance goes on ending', () => {
  const refused = calls('stop refused');
  for (const state of ['TERMINATING', 'TERMINATED'] as const) {
    const blamed = blameForState(refused, 'TERMINATING', false, state);
    expect(blamed).toBe('compute.stop-instance.terminating-conflict');
  }
});

test('calls in flight together are blamed together', () => {
  const stops = calls('stop accepted', 'stop accepted');
  expect(blameForState(stops, 'RUNNING', true, 'RUNNING')).toBe('compute.states.concurrent-calls');
  const both = calls('terminate accepted', 'stop accepted');
  expect(blameForState(both, 'RUNNING', true, 'STOPPED')).toBe('compute.states.terminate-settles');
  const twice = calls('terminate accepted', 'terminate conflict');
  expect(blameForState(twice, 'RUNNING', true, 'TERMINATING')).toBe(
    'compute.states.concurrent-calls',
  );
});

test('what fits a passing state is credited', () => {
  for (const accepted of calls('terminate accepted')) {
    const credited = creditForAnswer(accepted, 'STOPPING');
    expect(credited).toBe('compute.terminate-instance.stopping-accepted');
    expect(creditForAnswer(accepted, 'RUNNING')).toBeUndefined();
  }
});

test.each([
  [['stop conflict'], 'TERMINATING', 'TERMINATING', true],
  [['terminate accepted', 'stop conflict'], 'RUNNING', 'TERMINATING', true],
  [['stop conflict', 'terminate accepted'], 'RUNNING', 'TERMINATING', false],
  [['stop conflict'], 'TERMINATING', 'TERMINATED', false],
] as const)('after %j a stop from %s to %s met TERMINATING: %s', (told, before, state, met) => {
  const credited = met ? 'compute.stop-instance.terminating-conflict' : undefined;
  expect(creditForState(calls(...told), before, state)).toBe(credited);
});
