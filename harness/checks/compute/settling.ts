/** Whether an instance reaches the state that an accepted call leads to (compute#states). */

import type { InstanceState } from '../../../schemas/compute/states.ts';
import { type Judgement, pass, notObserved, violated } from '../judgement.ts';
import type { ObservedState } from './lifecycle.ts';

/** The states that may be seen after an accepted call. */
export interface Journey {
  /** The request as text: "A stop of a running instance". */
  readonly what: string;
  /** States of the instance before the call: a read may lag behind the response for a moment. */
  readonly from: readonly InstanceState[];
  readonly through: readonly InstanceState[];
  readonly to: InstanceState;
  /** The instance may return to an earlier state on the way, for reasons that the document does not show. */
  readonly mayReturn?: true;
  /** An instance that never gets out of `through` is a violation. */
  readonly mustEnd?: true;
}

export const stopOfRunning: Journey = {
  what: 'A stop of a running instance',
  from: ['RUNNING'],
  through: ['STOPPING'],
  to: 'STOPPED',
  mustEnd: true,
};

/** The document does not show what a start leads to; the suite expects only that the instance runs in the end. */
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

/** A teardown may fail part-way, and a repeated terminate recovers it. */
export const repeatedTermination: Journey = { ...termination, mustEnd: true };

/** Milliseconds for which reads may show the state before the accepted call, since they may come from a replica. */
export const LAG_MS = 4_000;
/** Milliseconds within which reads show the effect of an accepted call: a start may wait for a host, a read for a replica. */
export const BEGINS_MS = 15_000;
const LOOKS_THAT_CONVINCE = 5;

/**
 * Judges reads in order, all taken after the call was accepted. Passes once the final state is seen. Not observed after
 * ERRORED, since what follows it is not shown, and while the instance is still on the way.
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
    `${journey.what} was accepted, and the instance did not change in ${states.length} reads.`,
    { expected: [...journey.through, journey.to].join(' or '), actual: last.state },
    last.exchange,
    first.exchange,
  );
}

/** True when an instance was on the way and is back in an earlier state, for reasons that the document does not show. */
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

/** An instance that is on the way this many times longer than its own boot took is stuck, not slow. */
const TIMES_ITS_BOOT = 50;
const MIN_STUCK_MS = 60_000;
/** Milliseconds after which an instance counts as stuck without waiting until the budget ends. */
export const CERTAINLY_STUCK_MS = 120_000;

/**
 * Judges a journey of at least `leastMs`. The contract gives no times, so only a multiple of the deployment's own pace is a
 * violation: `bootMs` is the time from the request that created this instance until it was seen running.
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

/** The list has shown the final state for longer than any lag, but the single record still does not. */
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
    `${what} was accepted, and the instance entered another state.`,
    { expected: [...through, to].join(' or '), actual: shown.state },
    shown.exchange,
  );
}

/** Whether the reads show how a journey ends, so that no further reads are needed. */
export function isOver(states: readonly ObservedState[], journey: Journey): boolean {
  return (
    states.at(-1)?.state === 'ERRORED' ||
    hasReturned(states, journey) ||
    settles(states, journey).seen > 0
  );
}
