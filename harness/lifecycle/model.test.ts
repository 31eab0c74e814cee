import { type Arbitrary, assert, constantFrom, property, record, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type InstanceState,
  instanceStates,
  lifecycleOrder,
} from '../../schemas/compute/states.ts';
import { type Action, type Outcome, PossibleStates } from './model.ts';
import { type Event, play, schedules } from './schedule.test.support.ts';

/** The model after a history; empty from the first event that it refuses. */
function told(events: readonly Event[], from = PossibleStates.any()): PossibleStates {
  let states = from;
  for (const event of events) {
    if (states.isEmpty) return states;
    states = event.kind === 'look' ? states.observed(event.state) : states.together(event.calls);
  }
  return states;
}

const look = (state: InstanceState): Event => ({ kind: 'look', state });
const call = (action: Action, outcome: Outcome): Event => ({
  kind: 'calls',
  calls: [{ action, outcome }],
});

const isStart = (event: Event): boolean =>
  event.kind === 'calls' && event.calls.some(({ action }) => action === 'start');

test('no history of the machine is refused', () => {
  assert(
    property(schedules, (schedule) => {
      expect(told(play(schedule)).isEmpty).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});

/** Observations that no conforming server produces right after `state` was seen. */
interface Mutation {
  readonly state: InstanceState;
  readonly mutated: readonly Event[];
}

const known = constantFrom<InstanceState>('RUNNING', 'STOPPED', 'TERMINATING', 'TERMINATED');
const backwards: Arbitrary<Mutation> = tuple(
  constantFrom(...lifecycleOrder),
  constantFrom(...lifecycleOrder),
)
  .filter(([from, to]) => lifecycleOrder.indexOf(to) < lifecycleOrder.indexOf(from))
  .filter(([from]) => lifecycleOrder.indexOf(from) > lifecycleOrder.indexOf('RUNNING'))
  .map(([state, to]) => ({ state, mutated: [look(to)] }));
const resurrected: Arbitrary<Mutation> = record({
  action: constantFrom<Action>('stop', 'start', 'terminate'),
  outcome: constantFrom<Outcome>('accepted', 'conflict', 'refused', 'failed', 'lost'),
  to: constantFrom(...instanceStates.filter((state) => state !== 'TERMINATED')),
}).map(({ action, outcome, to }) => ({
  state: 'TERMINATED',
  mutated: [call(action, outcome), look(to)],
}));
const wronglyAnswered: Arbitrary<Mutation> = known.chain((state) =>
  constantFrom<readonly Event[]>(...(wrongAnswers[state] ?? [])).map((mutated) => ({
    state,
    mutated,
  })),
);
const wrongAnswers: Readonly<Record<string, readonly (readonly Event[])[]>> = {
  RUNNING: [
    [call('stop', 'accepted'), look('RUNNING')],
    [call('terminate', 'accepted'), look('RUNNING')],
    [call('terminate', 'accepted'), look('STOPPED')],
    [call('terminate', 'conflict'), look('RUNNING')],
    [call('terminate', 'refused')],
    [call('terminate', 'lost'), look('TERMINATED'), call('terminate', 'accepted')],
  ],
  STOPPED: [
    [call('stop', 'accepted'), look('RUNNING')],
    [call('stop', 'conflict'), look('STOPPED')],
    [call('start', 'refused'), look('STOPPED')],
    [call('terminate', 'conflict'), look('TERMINATING')],
    [call('terminate', 'accepted'), look('STOPPED')],
  ],
  TERMINATING: [
    [call('stop', 'accepted'), look('TERMINATED')],
    [call('stop', 'accepted'), look('STOPPED')],
    [call('stop', 'refused'), look('TERMINATING')],
    [call('start', 'accepted'), look('STARTING')],
    [call('terminate', 'conflict'), look('TERMINATING')],
    [call('terminate', 'refused')],
  ],
  TERMINATED: [
    [call('stop', 'accepted')],
    [call('stop', 'refused')],
    [call('terminate', 'accepted')],
    [call('terminate', 'failed')],
    [call('terminate', 'refused')],
    [
      {
        kind: 'calls',
        calls: [
          { action: 'stop', outcome: 'conflict' },
          { action: 'terminate', outcome: 'accepted' },
        ],
      },
    ],
  ],
};

describe('a mutated history is refused', () => {
  test.each([
    ['where a state moves backwards', backwards],
    ['where what was terminated comes back', resurrected],
    ['where an answer does not fit the state', wronglyAnswered],
  ] as const)('%s', (_name, mutations) => {
    assert(
      property(schedules, mutations, (schedule, { state, mutated }) => {
        const events = play(schedule);
        const at = events.findLastIndex((event) => event.kind === 'look' && event.state === state);
        const shown = events.slice(0, at + 1);
        // A history that never showed the state, or that has a pending start, is replaced by one look at the state.
        const isOpen = at === -1 || (state === 'STOPPED' && shown.some(isStart));
        const upToIt = isOpen ? [look(state)] : shown;
        expect(told([...upToIt, ...mutated]).isEmpty).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test('a boot that began anew unseen explains a refused stop, and not one that did nothing', () => {
  const refused = [look('RUNNING'), call('stop', 'conflict')];
  expect(told([...refused, look('RUNNING')]).isEmpty).toBe(false);
  expect(told([look('RUNNING'), call('stop', 'accepted'), look('STARTING')]).isEmpty).toBe(true);
});

test('a stop of a running instance leaves it on the way to STOPPED', () => {
  const stopped = told([look('RUNNING'), call('stop', 'accepted')]);
  expect(stopped.visible).toEqual(['ERRORED', 'STOPPING', 'STOPPED', 'TERMINATING', 'TERMINATED']);
  expect(stopped.isBehind('RUNNING')).toBe(true);
  expect(stopped.isBehind('STOPPED')).toBe(false);
});

test('a start of a stopped instance may lack a host or credit at the moment', () => {
  for (const outcome of ['conflict', 'forbidden', 'failed'] as const) {
    const history = [look('STOPPED'), call('start', outcome), look('STOPPED')];
    expect(told([...history, call('start', 'accepted'), look('RUNNING')]).isEmpty).toBe(false);
  }
});

test('an accepted start may show in any later look, until the instance has moved', () => {
  const history = [look('STOPPED'), call('start', 'accepted'), look('STOPPED'), look('STOPPED')];
  expect(told([...history, look('STARTING')]).isEmpty).toBe(false);
  expect(told([...history, call('stop', 'accepted'), look('RUNNING')]).isEmpty).toBe(false);
  const moved = [...history, look('STOPPING'), look('STOPPED')];
  expect(told([...moved, look('STARTING')]).isEmpty).toBe(true);
});

test('a terminate that was accepted may wait its turn, until a look shows that it has begun', () => {
  const accepted = [look('RUNNING'), call('terminate', 'accepted'), call('stop', 'accepted')];
  expect(told([...accepted, look('TERMINATING')]).isEmpty).toBe(false);
  expect(told(accepted).visible).not.toContain('STOPPED');
  const begun = [look('RUNNING'), call('terminate', 'accepted'), look('TERMINATING')];
  expect(told([...begun, call('stop', 'accepted')]).visible).toEqual(['ERRORED']);
});

test('calls in flight together are explained by some order of them', () => {
  const running = told([look('RUNNING')]);
  const both = (stop: Outcome, terminate: Outcome) =>
    running.together([
      { action: 'stop', outcome: stop },
      { action: 'terminate', outcome: terminate },
    ]);
  expect(both('accepted', 'accepted').isEmpty).toBe(false);
  expect(both('conflict', 'accepted').isEmpty).toBe(false);
  expect(both('accepted', 'refused').isEmpty).toBe(true);
  expect(both('accepted', 'accepted').visible).not.toContain('RUNNING');
});

test('a lost answer leaves both open', () => {
  const after = told([look('RUNNING'), call('terminate', 'lost')]);
  expect(after.visible).toContain('RUNNING');
  expect(after.visible).toContain('TERMINATED');
});
