import { describe, expect, test } from 'vitest';
import { type InstanceState, instanceStates } from '../../../schemas/compute/states.ts';
import { exchangeOf } from './exchange.test.support.ts';
import {
  earlyOrderKept,
  hasArrived,
  isInstanceState,
  liesBetween,
  type Look,
  mayFollow,
  neverComesBack,
  neverOnItsWay,
  onlyTerminated,
  orderKept,
  refusedOnTerminated,
} from './lifecycle.ts';

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

const look = (state: InstanceState): Look => ({ state, exchange: exchangeOf() });

describe('an instance on which others may act unseen', () => {
  test('that is alive may be anything next', () => {
    for (const state of instanceStates) {
      if (state === 'TERMINATING' || state === 'TERMINATED') continue;
      for (const then of instanceStates) {
        expect(neverComesBack(look(state), look(then)).seen).toBe(0);
      }
    }
  });

  test('that is being destroyed ends, or fails to', () => {
    const after = (from: InstanceState): readonly InstanceState[] =>
      instanceStates.filter((to) => neverComesBack(look(from), look(to)).violations.length === 0);
    expect(after('TERMINATING')).toEqual(['ERRORED', 'TERMINATING', 'TERMINATED']);
    expect(after('TERMINATED')).toEqual(['TERMINATED']);
  });
});

describe('a call on an instance that was seen TERMINATED', () => {
  const call = (status: number): ReturnType<typeof exchangeOf> =>
    exchangeOf({ method: 'POST', path: '/instances/x/stop', status });

  test('is refused with 409, and a success is wrong', () => {
    expect(refusedOnTerminated(look('TERMINATED'), call(409), 'stop').violations).toEqual([]);
    expect(refusedOnTerminated(look('TERMINATED'), call(409), 'stop').seen).toBe(1);
    expect(refusedOnTerminated(look('TERMINATED'), call(200), 'stop').violations).toHaveLength(1);
  });

  test('may be refused for a reason of the client, or be lost', () => {
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      expect(refusedOnTerminated(look('TERMINATED'), call(status), 'stop').seen).toBe(0);
    }
    expect(refusedOnTerminated(look('TERMINATING'), call(200), 'stop').seen).toBe(0);
  });
});

test.each([
  ['RUNNING', 'RUNNING', 1, 0],
  ['RUNNING', 'STARTING', 1, 1],
  ['RUNNING', 'CREATED', 1, 1],
  ['RUNNING', 'STOPPING', 0, 0],
  ['RUNNING', 'ERRORED', 0, 0],
  ['STOPPED', 'STOPPED', 1, 0],
  ['STOPPED', 'STOPPING', 1, 1],
  ['STOPPED', 'TERMINATING', 0, 0],
  ['STOPPED', 'PAUSED', 0, 0],
] as const)('a page of what is %s with one that is %s', (to, status, seen, violations) => {
  const page = exchangeOf({ body: { data: [{ instance_id: 'ONE', status }] } });
  const judgement = neverOnItsWay(page, 'one', to);
  expect([judgement.seen, judgement.violations.length]).toEqual([seen, violations]);
  expect(neverOnItsWay(page, 'other', to)).toEqual({ seen: 1, violations: [] });
  expect(neverOnItsWay(exchangeOf({ status: 500 }), 'one', to).seen).toBe(0);
  expect(neverOnItsWay(exchangeOf({ body: { data: [] } }), 'one', to).seen).toBe(0);
});

test.each([
  ['there', 'ONE', null, 1, 0],
  ['not there', 'two', null, 1, 1],
  ['perhaps on a later page', 'two', 'more', 0, 0],
] as const)('what has arrived is %s', (_, shown, next, seen, violations) => {
  const page = exchangeOf({ body: { data: [{ instance_id: shown }], pagination: { next } } });
  const judgement = hasArrived(page, 'one', 'RUNNING');
  expect([judgement.seen, judgement.violations.length]).toEqual([seen, violations]);
  expect(hasArrived(exchangeOf({ status: 500 }), 'one', 'RUNNING').seen).toBe(0);
});

test.each([
  [[], 0, 0],
  [['TERMINATED', 'TERMINATED'], 2, 0],
  [['TERMINATED', 'TERMINATING'], 1, 1],
])('a page under status=terminated with %j', (shown, seen, violations) => {
  const page = exchangeOf({ body: { data: shown.map((status) => ({ status })) } });
  const judgement = onlyTerminated(page);
  expect([judgement.seen, judgement.violations.length]).toEqual([seen, violations]);
});
