/** Whether an instance comes to where an accepted call sends it (compute#states). */

import type { InstanceState } from '../../../schemas/compute/states.ts';
import { type Judgement, pass, notObserved, violated } from '../judgement.ts';
import type { ObservedState } from './lifecycle.ts';

/** What may be seen after an accepted call. */
export interface Journey {
  /** What was asked, in words: "A stop of a running instance". */
  readonly what: string;
  /** States that the instance was in before: a look may lag behind the answer for a moment. */
  readonly from: readonly InstanceState[];
  readonly through: readonly InstanceState[];
  readonly to: InstanceState;
  /** On the way it may return to where it was, for reasons that are not shown. */
  readonly mayReturn?: true;
  /** Nothing excuses an instance that stays on the way for ever. */
  readonly mustEnd?: true;
}

export const stopOfRunning: Journey = {
  what: 'A stop of a running instance',
  from: ['RUNNING'],
  through: ['STOPPING'],
  to: 'STOPPED',
  mustEnd: true,
};

/** What a start leads to is not shown, but that the instance runs in the end. */
export const startOfStopped: Journey = {
  what: 'A start of a stopped instance',
  from: ['STOPPED'],
  through: ['CREATED', 'DEPLOYED', 'STARTING', 'STOPPING'],
  to: 'RUNNING',
  mayReturn: true,
};

export const termination: Journey = {
  what: 'A terminate',
  from: ['CREATED', 'DEPLOYED', 'STARTING', 'RUNNING', 'STOPPING', 'STOPPED'],
  through: ['TERMINATING'],
  to: 'TERMINATED',
};

/** A teardown may fail part-way, which the same call issued again recovers. */
export const repeatedTermination: Journey = { ...termination, mustEnd: true };

/**
 * Milliseconds for which looks may still show the state before. The table has the instance in its next state
 * once the call is accepted; readers of a copy may be a little behind, and no longer than this.
 */
export const LAG_MS = 4_000;
/** Milliseconds within which looks show that what was accepted has begun: a start may wait for a host, and a reader for a copy. */
export const BEGINS_MS = 15_000;
const LOOKS_THAT_CONVINCE = 5;

/**
 * Judges looks in the order in which they were taken, all of them after the call was accepted. Held once the end
 * is seen. What comes after ERRORED is not shown, so it says nothing; neither does a journey that is under way.
 */
export function settles(states: readonly ObservedState[], journey: Journey): Judgement {
  if (hasReturned(states, journey)) return notObserved;
  let onTheWay = false;
  for (const shown of states) {
    if (shown.state === journey.to) return pass();
    if (shown.state === 'ERRORED') return notObserved;
    if (journey.through.includes(shown.state)) onTheWay = true;
    else if (onTheWay || !journey.from.includes(shown.state)) return astray(shown, journey);
  }
  const [first, last] = [states[0], states.at(-1)];
  if (onTheWay || first === undefined || last === undefined) return notObserved;
  const waited = last.exchange.startedAt - first.exchange.startedAt;
  if (waited < BEGINS_MS || states.length < LOOKS_THAT_CONVINCE) return notObserved;
  return violated(
    `${journey.what} was accepted, and nothing came of it in ${states.length} looks.`,
    { expected: [...journey.through, journey.to].join(' or '), actual: last.state },
    last.exchange,
    first.exchange,
  );
}

/** True where an instance was on the way, and is back where it was by what the contract does not show. */
function hasReturned(
  states: readonly ObservedState[],
  { from, through, mayReturn }: Journey,
): boolean {
  if (mayReturn === undefined) return false;
  const entered = states.findIndex(({ state }) => through.includes(state));
  const after = entered === -1 ? [] : states.slice(entered).map(({ state }) => state);
  const [last] = after.slice(-1);
  if (last === undefined || !from.includes(last)) return false;
  return after.every((state) => through.includes(state) || from.includes(state));
}

/** An instance that is on the way for so many times the time in which it was made and ran is stuck, and not slow. */
const TIMES_ITS_BOOT = 50;
const MIN_STUCK_MS = 60_000;
/** Milliseconds after which nothing need be waited for to the end of the budget to say so. */
export const CERTAINLY_STUCK_MS = 120_000;

/**
 * Judges a journey that has lasted for `leastMs` at least. The contract gives no times, so only what dwarfs the pace of the
 * deployment is broken: `bootMs` is how long the same instance took from the request that made it until it was seen to run.
 */
export function stuckOnTheWay(
  states: readonly ObservedState[],
  journey: Journey,
  bootMs: number | undefined,
  leastMs = MIN_STUCK_MS,
): Judgement {
  const entered = states.findIndex(({ state }) => journey.through.includes(state));
  const [first, last] = [states[entered], states.at(-1)];
  if (!journey.mustEnd || bootMs === undefined || first === undefined || last === undefined)
    return notObserved;
  if (!states.slice(entered).every(({ state }) => state === first.state)) return notObserved;
  const waitedMs = last.exchange.startedAt - first.exchange.startedAt;
  if (waitedMs < Math.max(leastMs, TIMES_ITS_BOOT * bootMs)) return notObserved;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  return violated(
    `${journey.what} was accepted, and the instance never came out of ${first.state}.`,
    {
      expected: `${journey.to} in the end; it was made and ran within ${seconds(bootMs)}`,
      actual: `${last.state} for ${seconds(waitedMs)}`,
    },
    last.exchange,
    first.exchange,
  );
}

/** The list shows the end of a journey for longer than any lag, and the single record still does not. */
export function leftBehind(states: readonly ObservedState[], { to }: Journey): Judgement {
  const last = states.slice(-1);
  return violated(
    'The list shows that the instance has settled, and the single record does not.',
    { expected: to, actual: last[0]?.state },
    ...last.map(({ exchange }) => exchange),
  );
}

function astray(shown: ObservedState, { what, through, to }: Journey): Judgement {
  return violated(
    `${what} was accepted, and the instance went elsewhere.`,
    { expected: [...through, to].join(' or '), actual: shown.state },
    shown.exchange,
  );
}

/** Whether looks show how a journey ends: nothing further need be waited for. */
export function isOver(states: readonly ObservedState[], journey: Journey): boolean {
  return (
    states.at(-1)?.state === 'ERRORED' ||
    hasReturned(states, journey) ||
    settles(states, journey).seen > 0
  );
}
