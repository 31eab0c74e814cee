import { describe, expect, test } from 'vitest';
import { type InstanceState, instanceStates } from '../../../schemas/compute/states.ts';
import { outcomeOf, testCheck, testRows, testVerdicts } from '../verdict.test.support.ts';
import { exchangeOf } from './exchange.test.support.ts';
import {
  earlyOrderKept,
  hasArrived,
  isInstanceState,
  type ObservedState,
  mayFollow,
  neverComesBack,
  neverOnItsWay,
  onlyTerminated,
  orderKept,
  refusedOnTerminated,
} from './lifecycle.ts';
import {
  BEGINS_MS,
  leftBehind,
  repeatedTermination,
  settles,
  startOfStopped,
  stopOfRunning,
  CERTAINLY_STUCK_MS,
  isOver,
  stuckOnTheWay,
  termination,
} from './settling.ts';

/** Reads that showed these states, with this many milliseconds between them. */
const looks = (states: string, apartMs = 10, startedSince = false): readonly ObservedState[] =>
  states
    .split(' ')
    .filter(isInstanceState)
    .map((state, index) => ({
      state,
      exchange: { ...exchangeOf(), startedAt: index * apartMs },
      startedSince,
    }));
const look = (state: InstanceState): ObservedState => ({ state, exchange: exchangeOf() });

testCheck('the order', (states: string) => orderKept(looks(states)), {
  held: [
    'CREATED DEPLOYED STARTING RUNNING STOPPING STOPPED',
    'CREATED RUNNING TERMINATED',
    'RUNNING RUNNING STOPPED',
    'RUNNING ERRORED TERMINATING TERMINATED',
    'CREATED ERRORED RUNNING',
    // The document does not show transitions out of RUNNING.
    'RUNNING STARTING',
  ],
  broken: [
    'STOPPED RUNNING',
    'STOPPING RUNNING',
    'STOPPED STOPPING',
    'TERMINATING STOPPED',
    'TERMINATED TERMINATING',
    'TERMINATED ERRORED',
  ],
  unseen: ['RUNNING'],
});

testCheck('the order, after a start', (states: string) => orderKept(looks(states, 10, true)), {
  held: ['STOPPED STARTING'],
  broken: ['TERMINATED STARTING', 'TERMINATING RUNNING'],
});

testCheck('the order up to RUNNING', (states: string) => earlyOrderKept(looks(states)), {
  held: ['STARTING RUNNING'],
  broken: ['RUNNING STARTING'],
});

test('each step is seen, and each wrong one told', () => {
  expect(orderKept(looks('CREATED RUNNING STOPPED'))).toEqual({ seen: 2, violations: [] });
  expect(orderKept(looks('STOPPED RUNNING STOPPED')).violations).toHaveLength(1);
});

test('states', () => {
  expect(instanceStates.filter((state) => mayFollow('TERMINATED', state, true))).toEqual([
    'TERMINATED',
  ]);
  expect(['RUNNING', 'running', undefined].map(isInstanceState)).toEqual([true, false, false]);
});

test('an instance on which others may act unseen never comes back from its end', () => {
  const after = (from: InstanceState) =>
    instanceStates.filter((to) => neverComesBack(look(from), look(to)).violations.length === 0);
  expect(after('TERMINATING')).toEqual(['ERRORED', 'TERMINATING', 'TERMINATED']);
  expect(after('TERMINATED')).toEqual(['TERMINATED']);
  for (const from of instanceStates.filter((state) => !state.startsWith('TERMINAT'))) {
    const seen = instanceStates.map((to) => neverComesBack(look(from), look(to)).seen);
    expect(seen).toEqual(instanceStates.map(() => 0));
  }
});

testCheck(
  'a call on a terminated instance',
  ([status, state = 'TERMINATED']: readonly [number, InstanceState?]) =>
    refusedOnTerminated(look(state), exchangeOf({ method: 'POST', status }), 'stop'),
  {
    held: [[409]],
    broken: [[200]],
    // The request may be refused for a reason of the client, or be lost.
    unseen: [[400], [401], [403], [404], [429], [500], [503], [200, 'TERMINATING']],
  },
);

const shown = (data: readonly object[], next?: string | null) =>
  exchangeOf({ body: { data, pagination: { next } } });

testRows(
  'a page of what is, and an instance',
  (of, status) =>
    neverOnItsWay(
      shown([{ instance_id: 'ONE', status }]),
      'one',
      of === 'RUNNING' ? of : 'STOPPED',
    ),
  {
    held: ['RUNNING,RUNNING', 'STOPPED,STOPPED'],
    broken: ['RUNNING,STARTING', 'RUNNING,CREATED', 'STOPPED,STOPPING'],
    unseen: ['RUNNING,STOPPING', 'RUNNING,ERRORED', 'STOPPED,TERMINATING', 'STOPPED,PAUSED'],
  },
);

const failed = exchangeOf({ status: 500 });
const one = [{ instance_id: 'ONE' }];
testVerdicts([
  ['a page of others', 'held', neverOnItsWay(shown(one), 'other', 'RUNNING')],
  ['a failure', 'unseen', neverOnItsWay(failed, 'one', 'RUNNING')],
  ['an empty page', 'unseen', neverOnItsWay(shown([]), 'one', 'RUNNING')],
  ['what has arrived', 'held', hasArrived(shown(one, null), 'one', 'RUNNING')],
  ['what has not', 'broken', hasArrived(shown(one, null), 'two', 'RUNNING')],
  ['what may be on a later page', 'unseen', hasArrived(shown(one, 'c'), 'two', 'RUNNING')],
  ['no page', 'unseen', hasArrived(failed, 'one', 'RUNNING')],
]);

testCheck(
  'a page under status=terminated',
  (states: readonly string[]) => onlyTerminated(shown(states.map((status) => ({ status })))),
  { held: [['TERMINATED', 'TERMINATED']], broken: [['TERMINATED', 'TERMINATING']], unseen: [[]] },
);

describe('what comes of a call', () => {
  testCheck('a stop', (states: string) => settles(looks(states), stopOfRunning), {
    held: ['STOPPING STOPPED', 'STOPPED', 'RUNNING STOPPING STOPPED'],
    broken: ['STOPPING RUNNING', 'TERMINATED', 'RUNNING STARTING'],
    unseen: [
      '',
      'STOPPING STOPPING',
      'RUNNING RUNNING RUNNING RUNNING RUNNING',
      'STOPPING ERRORED RUNNING',
    ],
  });

  testCheck('a terminate', (states: string) => settles(looks(states), termination), {
    held: ['STOPPED TERMINATING TERMINATED'],
    broken: ['TERMINATING STOPPED'],
  });

  // Hosts may fail, and the remaining hours may end.
  testCheck('a start', (states: string) => settles(looks(states), startOfStopped), {
    broken: ['STOPPED STARTING TERMINATED'],
    unseen: ['STOPPED STARTING STOPPED'],
  });

  const still = looks('RUNNING RUNNING RUNNING RUNNING RUNNING RUNNING', BEGINS_MS / 4);
  const dying = looks('TERMINATING TERMINATING TERMINATING', 60_000);
  testVerdicts([
    ['nothing for long enough', 'broken', settles(still, stopOfRunning)],
    [
      'nothing in few looks',
      'unseen',
      settles(looks('RUNNING RUNNING', 2 * BEGINS_MS), stopOfRunning),
    ],
    ['a teardown that never ends', 'unseen', stuckOnTheWay(dying, termination, 300)],
    ['one that was issued again', 'broken', stuckOnTheWay(dying, repeatedTermination, 300)],
    ['a record that stays behind the list', 'broken', leftBehind(looks('STOPPING'), stopOfRunning)],
  ]);

  const STUCK = 'STOPPING STOPPING STOPPING';
  testRows(
    'a stop that is stuck for so many ms, after a boot',
    (waitMs, bootMs, states) => {
      const booted = bootMs === '' ? undefined : Number(bootMs);
      return stuckOnTheWay(looks(states, Number(waitMs) / 2), stopOfRunning, booted);
    },
    {
      broken: [`120000,300,${STUCK}`, `120000,2300,RUNNING ${STUCK}`],
      unseen: [
        ...['120000,2500', '50000,300', '120000,'].map((times) => `${times},${STUCK}`),
        ...['RUNNING RUNNING RUNNING', 'STOPPING RUNNING STOPPING', ''].map(
          (states) => `120000,300,${states}`,
        ),
      ],
    },
  );

  test.each([
    ['STOPPING STOPPED', 1_000, true],
    ['STOPPING ERRORED', 1_000, true],
    ['STOPPING', 1_000, false],
    [STUCK, 60_000, false],
  ])('%s, %d ms apart, are the end of a stop: %s', (states, apartMs, expected) => {
    expect(isOver(looks(states, apartMs), stopOfRunning)).toBe(expected);
  });

  test.each([
    [50_000, 'unseen'],
    [60_000, 'broken'],
  ])('what is certainly stuck, seen thrice %d ms apart, is %s', (apartMs, expected) => {
    const end = stuckOnTheWay(looks(STUCK, apartMs), stopOfRunning, 300, CERTAINLY_STUCK_MS);
    expect(outcomeOf(end)).toBe(expected);
  });
});
