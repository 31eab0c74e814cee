import { type Arbitrary, assert, constantFrom, property, record, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type InstanceState,
  instanceStates,
  lifecycleOrder,
} from '../../schemas/compute/states.ts';
import { type Action, type Answered, type Outcome, PossibleStates } from './model.ts';
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
const call = (...calls: readonly Answered[]): Event => ({ kind: 'calls', calls });

const actions = ['stop', 'start', 'terminate'] as const;
const outcomes = ['accepted', 'conflict', 'refused', 'forbidden', 'failed', 'lost'] as const;
const every = actions.flatMap((action) => outcomes.map((outcome) => ({ action, outcome })));

/** A history as `RUNNING, stop accepted + terminate refused`: looks, and calls that are in flight together. */
function history(text: string): readonly Event[] {
  return text.split(', ').map((event) => {
    const state = instanceStates.find((one) => one === event);
    const calls = event
      .split(' + ')
      .flatMap((one) => every.filter(({ action, outcome }) => `${action} ${outcome}` === one));
    if (state === undefined && calls.length === 0) throw new Error(`${event} is no event`);
    return state === undefined ? call(...calls) : look(state);
  });
}

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
  mutated: [call({ action, outcome }), look(to)],
}));
const wronglyAnswered: Arbitrary<Mutation> = known.chain((state) =>
  constantFrom<readonly Event[]>(...(wrongAnswers[state] ?? [])).map((mutated) => ({
    state,
    mutated,
  })),
);
/** Wrong histories by the state that they follow: a call as `stop accepted`, or a state that is seen. */
const wrongAnswers: Readonly<Record<string, readonly (readonly Event[])[]>> = {
  RUNNING: [
    history('stop accepted, RUNNING'),
    history('terminate accepted, RUNNING'),
    history('terminate accepted, STOPPED'),
    history('terminate conflict, RUNNING'),
    history('terminate refused'),
    history('terminate lost, TERMINATED, terminate accepted'),
  ],
  STOPPED: [
    history('stop accepted, RUNNING'),
    history('stop conflict, STOPPED'),
    history('start refused, STOPPED'),
    history('terminate conflict, TERMINATING'),
    history('terminate accepted, STOPPED'),
  ],
  TERMINATING: [
    history('stop accepted, TERMINATED'),
    history('stop accepted, STOPPED'),
    history('stop refused, TERMINATING'),
    history('start accepted, STARTING'),
    history('terminate conflict, TERMINATING'),
    history('terminate refused'),
  ],
  TERMINATED: [
    history('stop accepted'),
    history('stop refused'),
    history('terminate accepted'),
    history('terminate failed'),
    history('terminate refused'),
    history('stop conflict + terminate accepted'),
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

test.for([
  // A boot that began anew unseen explains a refused stop, and not one that did nothing.
  ['RUNNING, stop conflict, RUNNING', true],
  ['RUNNING, stop accepted, STARTING', false],
  // A start of a stopped instance may lack a host or credit at the moment.
  ...['conflict', 'forbidden', 'failed'].map(
    (outcome) => [`STOPPED, start ${outcome}, STOPPED, start accepted, RUNNING`, true] as const,
  ),
  // An accepted start may show in any later look, until the instance has moved.
  ['STOPPED, start accepted, STOPPED, STOPPED, STARTING', true],
  ['STOPPED, start accepted, STOPPED, STOPPED, stop accepted, RUNNING', true],
  ['STOPPED, start accepted, STOPPED, STOPPED, STOPPING, STOPPED, STARTING', false],
  // A terminate that was accepted may wait its turn, until a look shows that it has begun.
  ['RUNNING, terminate accepted, stop accepted, TERMINATING', true],
  // Calls in flight together are explained by some order of them.
  ['RUNNING, stop accepted + terminate accepted', true],
  ['RUNNING, stop conflict + terminate accepted', true],
  ['RUNNING, stop accepted + terminate refused', false],
] as const)('%s is possible: %s', ([events, possible]) => {
  expect(told(history(events)).isEmpty).toBe(!possible);
});

test.for([
  ['RUNNING, terminate accepted, stop accepted', [], ['STOPPED']],
  ['RUNNING, stop accepted + terminate accepted', [], ['RUNNING']],
  // A lost answer leaves both open.
  ['RUNNING, terminate lost', ['RUNNING', 'TERMINATED'], []],
] as const)('after %s one may see %j, and not %j', ([events, may, mayNot]) => {
  const { visible } = told(history(events));
  expect(visible).toEqual(expect.arrayContaining([...may]));
  expect(visible.filter((state) => mayNot.some((one) => one === state))).toEqual([]);
});

test('a stop of a running instance leaves it on the way to STOPPED', () => {
  const stopped = told(history('RUNNING, stop accepted'));
  expect(stopped.visible).toEqual(['ERRORED', 'STOPPING', 'STOPPED', 'TERMINATING', 'TERMINATED']);
  expect(stopped.isBehind('RUNNING')).toBe(true);
  expect(stopped.isBehind('STOPPED')).toBe(false);
  const begun = told(history('RUNNING, terminate accepted, TERMINATING, stop accepted'));
  expect(begun.visible).toEqual(['ERRORED']);
});
