/** Random histories for the tests of the model, from a second implementation of the contract's table. */

import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
} from 'fast-check';
import { type InstanceState, instanceStates } from '../../schemas/compute/states.ts';
import type { Action, Answered, Outcome } from './model.ts';

/** What a client observes, in order. */
export type Event =
  | { readonly kind: 'look'; readonly state: InstanceState }
  | { readonly kind: 'calls'; readonly calls: readonly Answered[] };

type Step =
  | { readonly kind: 'time'; readonly steps: number }
  | { readonly kind: 'err' }
  | { readonly kind: 'look' }
  | { readonly kind: 'calls'; readonly actions: readonly Action[]; readonly between: boolean };

/** What a deployment decides where the contract is silent. */
interface Choices {
  readonly stopElsewhere: 'stop' | 'ignore' | 'conflict';
  readonly startElsewhere: 'ignore' | 'conflict' | 'refuse';
  readonly startsAs: 'CREATED' | 'STARTING' | 'RUNNING';
  /** Whether an accepted start shows only some time after its answer. */
  readonly startsLate: boolean;
}

export interface Schedule {
  readonly initial: InstanceState;
  readonly steps: readonly Step[];
  readonly choices: Choices;
  /** Whether a repeated terminate meets a resource that is gone. */
  readonly gone: boolean;
}

const action = constantFrom<Action>('stop', 'start', 'terminate');
const time = record({ kind: constant('time' as const), steps: integer({ min: 1, max: 3 }) });
const calls = record({
  kind: constant('calls' as const),
  actions: array(action, { minLength: 1, maxLength: 4 }),
  between: boolean(),
});

/** Schedules that look often, as the suite does. */
export const schedules: Arbitrary<Schedule> = record({
  initial: constantFrom(...instanceStates),
  steps: array(
    oneof(
      { weight: 4, arbitrary: time },
      { weight: 1, arbitrary: record({ kind: constant('err' as const) }) },
      { weight: 5, arbitrary: record({ kind: constant('look' as const) }) },
      { weight: 5, arbitrary: calls },
    ),
    { maxLength: 20 },
  ),
  choices: record({
    stopElsewhere: constantFrom<Choices['stopElsewhere']>('stop', 'ignore', 'conflict'),
    startElsewhere: constantFrom<Choices['startElsewhere']>('ignore', 'conflict', 'refuse'),
    startsAs: constantFrom<Choices['startsAs']>('CREATED', 'STARTING', 'RUNNING'),
    startsLate: boolean(),
  }),
  gone: boolean(),
});

const next: Partial<Record<InstanceState, InstanceState>> = {
  CREATED: 'DEPLOYED',
  DEPLOYED: 'STARTING',
  STARTING: 'RUNNING',
  RUNNING: 'STOPPING',
  STOPPING: 'STOPPED',
  TERMINATING: 'TERMINATED',
};

/** The choices that remain once an instance is being destroyed. */
const unmoved: Choices = {
  stopElsewhere: 'conflict',
  startElsewhere: 'conflict',
  startsAs: 'CREATED',
  startsLate: false,
};

interface Reply {
  readonly outcome: Outcome;
  readonly state: InstanceState;
}

/** Plays a schedule on the state machine and returns what a client observes. */
export function play({ initial, steps, choices, gone }: Schedule): readonly Event[] {
  const events: Event[] = [];
  let state = initial;
  // An error on the way to TERMINATED does not undo the termination.
  let doomed = state === 'TERMINATING';
  let awaitsStart = false;
  const passTime = (): void => {
    const starts = awaitsStart && state === 'STOPPED';
    if (starts) awaitsStart = false;
    state = starts ? choices.startsAs : (next[state] ?? state);
  };
  for (const step of steps) {
    if (step.kind === 'time') for (let n = 0; n < step.steps; n += 1) passTime();
    else if (step.kind === 'err') state = state === 'TERMINATED' ? state : 'ERRORED';
    else if (step.kind === 'look') events.push({ kind: 'look', state });
    else {
      const answered: Answered[] = [];
      for (const asked of step.actions) {
        const reply = answer(asked, state, doomed ? unmoved : choices, gone);
        doomed ||= reply.state === 'TERMINATING';
        answered.push({ action: asked, outcome: reply.outcome });
        const starts = asked === 'start' && state === 'STOPPED';
        if (starts && choices.startsLate) awaitsStart = true;
        else state = reply.state;
        if (step.between) passTime();
      }
      // Calls in flight at once are answered in any order.
      events.push({ kind: 'calls', calls: answered.toReversed() });
    }
  }
  return events;
}

function answer(asked: Action, state: InstanceState, choices: Choices, gone: boolean): Reply {
  const stay = (outcome: Outcome): Reply => ({ outcome, state });
  if (asked === 'terminate') {
    if (state === 'TERMINATED') return stay('conflict');
    if (state === 'TERMINATING' && gone) return stay('failed');
    return { outcome: 'accepted', state: 'TERMINATING' };
  }
  const dying = state === 'TERMINATING' || state === 'TERMINATED';
  if (asked === 'stop') {
    if (dying) return stay('conflict');
    if (state === 'STOPPED') return stay('accepted');
    if (state === 'RUNNING' || choices.stopElsewhere === 'stop') {
      return { outcome: 'accepted', state: 'STOPPING' };
    }
    return stay(choices.stopElsewhere === 'ignore' ? 'accepted' : 'conflict');
  }
  if (state === 'STOPPED') return { outcome: 'accepted', state: choices.startsAs };
  if (choices.startElsewhere === 'refuse') return stay('refused');
  return stay(choices.startElsewhere === 'ignore' && !dying ? 'accepted' : 'conflict');
}
