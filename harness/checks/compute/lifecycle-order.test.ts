import { describe, expect, test } from 'vitest';
import { type InstanceState, instanceStates } from '../../../schemas/compute/states.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { earlyOrderKept, isInstanceState, liesBetween, mayFollow, orderKept } from './lifecycle.ts';

function judged(states: readonly InstanceState[], started = false) {
  return orderKept(
    states.map((state) => ({ state, exchange: exchangeOf(), startedSince: started })),
  );
}

describe('looks at one instance', () => {
  test.each<[readonly InstanceState[]]>([
    [['CREATED', 'DEPLOYED', 'STARTING', 'RUNNING', 'STOPPING', 'STOPPED']],
    [['CREATED', 'RUNNING', 'TERMINATED']],
    [['RUNNING', 'RUNNING', 'STOPPED']],
    [['RUNNING', 'ERRORED', 'TERMINATING', 'TERMINATED']],
    [['CREATED', 'ERRORED', 'RUNNING']],
  ])('%j keep the order', (states) => {
    expect(judged(states)).toEqual({ seen: states.length - 1, violations: [] });
  });

  test.each<[readonly InstanceState[]]>([
    [['STOPPED', 'RUNNING']],
    [['STOPPING', 'RUNNING']],
    [['STOPPED', 'STOPPING']],
    [['TERMINATING', 'STOPPED']],
    [['TERMINATED', 'TERMINATING']],
    [['TERMINATED', 'ERRORED']],
  ])('%j break it', (states) => {
    expect(judged(states).violations).toHaveLength(1);
  });

  test('back among the states up to RUNNING is not shown, and not expected', () => {
    const rebooted = [
      { state: 'RUNNING', exchange: exchangeOf() },
      { state: 'STARTING', exchange: exchangeOf() },
    ] as const;
    expect(orderKept(rebooted).violations).toEqual([]);
    expect(earlyOrderKept(rebooted).violations).toHaveLength(1);
    expect(earlyOrderKept(rebooted.toReversed())).toEqual({ seen: 1, violations: [] });
  });

  test('one alone says nothing', () => {
    expect(judged(['RUNNING'])).toEqual({ seen: 0, violations: [] });
  });

  test('a start in between allows the way back, but not from the dead', () => {
    expect(judged(['STOPPED', 'STARTING'], true).violations).toEqual([]);
    expect(judged(['TERMINATED', 'STARTING'], true).violations).toHaveLength(1);
    expect(judged(['TERMINATING', 'RUNNING'], true).violations).toHaveLength(1);
  });
});

test('nothing but itself follows TERMINATED', () => {
  const after = instanceStates.filter((state) => mayFollow('TERMINATED', state, true));
  expect(after).toEqual(['TERMINATED']);
});

test('what an answer shows lies between the looks around it', () => {
  expect(liesBetween('RUNNING', 'STOPPING', 'STOPPED')).toBe(true);
  expect(liesBetween('RUNNING', 'STARTING', 'STOPPED')).toBe(false);
  expect(liesBetween('RUNNING', 'STOPPED', 'STOPPING')).toBe(false);
});

test('a state is one of nine', () => {
  expect(isInstanceState('RUNNING')).toBe(true);
  expect(isInstanceState('running')).toBe(false);
  expect(isInstanceState(undefined)).toBe(false);
});
