/** Every wait of a run, by name. `plumbline plan` prints the table. A loaded machine stretches all waits by one factor. */

import { transportWaits } from '../exchange/repeating.ts';

/** One row: what a run waits for, and how long. */
export interface Wait {
  readonly awaits: string;
  /** Milliseconds before each further try. */
  readonly pausesMs?: Iterable<number>;
  /** Milliseconds for which tries go on, or for which one event is awaited. */
  readonly withinMs?: number;
  /** The first and the longest pause between tries within `withinMs`. */
  readonly pollMs?: readonly [first: number, longest: number];
  /** Factor from each pause to the next (default 2). */
  readonly growth?: number;
  /** Milliseconds for which the first pause does not grow (default 0). */
  readonly closeMs?: number;
  /** Others may have the target to themselves during the longer pauses. */
  readonly yields?: boolean;
}

/** A row with one further try after each pause. */
function paused(awaits: string, pausesMs: readonly number[]) {
  return { awaits, pausesMs };
}

/** A row that waits for one event. */
function once(awaits: string, withinMs: number) {
  return { awaits, withinMs };
}

/** A row that polls with growing pauses (default from 10 ms to 250 ms). */
function polled(
  awaits: string,
  withinMs: number,
  pollMs: readonly [first: number, longest: number] = [10, 250],
) {
  return { awaits, withinMs, pollMs };
}

type Waits = Readonly<Record<string, Wait>>;

/** For every contract. The HTTP client's own retries are in the rows of the transport. */
const commonWaits = {
  ...transportWaits,
  caseAgain: paused('a case that trouble on the wire kept from seeing', [0, 0]),
  onceMore: paused('what was late once', [0]),
  twiceMore: paused('what was late, or moved meanwhile', [0, 0]),
} as const satisfies Waits;

/** For instances and the lists that show them. */
export const computeWaits = {
  settles: polled(
    'an instance that settles, for a quarter of the budget of minutes',
    5 * 60_000,
    [20, 1_000],
  ),
  settlesClosely: {
    awaits: 'an instance that settles, whose passing states are to be met',
    withinMs: 5 * 60_000,
    pollMs: [10, 1_000],
    growth: 1.5,
    closeMs: 400,
  },
  settlesBesideStuck: once('an instance that settles, where another is stuck', 15_000),
  appears: once('an instance that was never seen', 20_000),
  copyOfInstance: polled(
    'a record that is read from a copy, looked at closely',
    4_000,
    [10, 1_000],
  ),
  copyCatchesUp: paused('a record or list that is read from a copy', [250, 750, 1_250, 2_000]),
  bracketAgain: paused('a list that stands still around an answer', [0, 0, 0, 0, 0]),
  lagPasses: paused('lists and caches that have caught up with a change', [4_000, 4_000]),
  // An optional member of the envelope may differ by chance in a pair or two.
  alikeAgain: paused('two refusals that are alike', [0, 0, 0, 0, 0]),
  presetsLater: once('a default order that may turn by the clock', 1_100),
  hostFree: paused('a host for a start', [100, 400, 1_500, 3_000]),
  stoppedListed: paused('a stopped instance in the list', [500, 2_000, 5_000]),
  meterStops: paused('a meter that must have caught up with a stop', [10_000]),
  firstRun: once('a first run that costs something', 1_200),
  afterTermination: once('a task that may revive what was terminated', 1_500),
  // The response to a terminate changes once the underlying resource is gone, early or late.
  terminatesAgain: paused(
    'another terminate of an instance that is being destroyed',
    [0, 0, 0, 0, 0, 50, 150, 300, 600, 1_000, 2_000],
  ),
  unansweredCall: polled('what a call does before its answer', 1_000, [50, 50]),
  roomForInstance: polled(
    'room for an instance, where the account may have no more',
    30_000,
    [250, 2_000],
  ),
  sweptRequest: polled('an instance whose making was cut off', 10_000, [500, 500]),
  sweptCommand: polled('an instance whose provision command was cut off', 10 * 60_000, [500, 500]),
  foreignAnswer: paused('an answer that a proxy gave instead', [50, 400]),
} as const satisfies Waits;

/** For the capacity of a router, for its agents, and for what a busy machine may delay. */
export const routerWaits = {
  returns: polled('a slot, a place or a budget that a request gave back', 5_000),
  placesFree: polled('all places of a model', 2_000, [50, 50]),
  placesTaken: paused('places that were not all free', [100, 1_000]),
  mayBeServed: paused('a model that need not be served', [50, 50]),
  parksAgain: paused('a request that is parked in time', [0, 100, 600]),
  letIn: once('a request that is let in at its engine', 400),
  hitOfRefused: once('a request that was refused at an engine', 100),
  atWork: once('as many requests at the engine as the router works on', 1_000),
  arrives: polled('simultaneous requests at the engine, or their answers', 10_000, [10, 10]),
  hangUpNoticed: once('a router that lets go of the engine of a lost client', 250),
  headsSeen: once('the head of a held answer', 1_000),
  streamHeldBack: once('events that a router may hold back', 3_000),
  queued: once('a request in the queue of a busy router', 60_000),
  processor: once('a processor for a request in the queue', 2_000),
  signOfLife: once('a router whose requests all wait', 5_000),
  waitsForShare: once('a request that may wait for its share', 3_000),
  shareFilled: paused('a rate that others used, of a share', [700, 700, 700]),
  rateRefills: polled('a serverless key that may be over a rate', 60_000, [2_000, 10_000]),
  keyAwake: polled('a serverless key under its limits', 15_000),
  otherKeyFree: polled('another key that was refused for an earlier case', 500),
  chargedSoon: paused('output that is charged after a response', [25, 25, 25, 25, 25]),
  // The contract sets no time limit. Output that is not charged or accounted for after a minute never is.
  charged: polled('output that is charged late', 60_000),
  accounted: {
    awaits: 'the output of a stream in a daily budget',
    pausesMs: [10, 40, 100, 250, 600, 1_000, 2_000, 2_000, 2_000, 5_000, 10_000, 15_000, 25_000],
    yields: true,
  },
  accountedByFew: {
    awaits: 'the same, by requests that take little themselves',
    pausesMs: [150, 1_500, 3_000, 5_000, 10_000, 15_000, 25_000],
    yields: true,
  },
  accountedInAnswer: paused('the output of a completion in a daily budget', [150, 1_500, 3_000]),
  replicaTold: paused('a replica that knows of what was used', [0, 300, 1_500]),
  nextDay: paused(
    'a daily budget after midnight',
    Array.from({ length: 20 }, () => 1_000),
  ),
  bucketOfOthers: paused('a bucket that others emptied', [50, 200, 800, 2_000]),
  agentsCome: polled('agents that find the engine which the run has begun', 30_000, [50, 1_000]),
  agentsThere: polled('agents of an engine that ran before', 3_000, [100, 500]),
  agentsEjected: polled(
    'agents that were served before and rest after failures',
    12_000,
    [60, 400],
  ),
  agentsNeverServed: polled('agents that were never served and may rest', 1_200, [60, 400]),
  agentsRested: once('agents that rest, where a request waits for the first that is back', 10_000),
  agentsReturn: polled('agents that rest, before a place counts as lost', 40_000),
  agentsHealthy: paused(
    'agents that another case made fail',
    [30, 100, 270, 400, 600, 1_000, 2_200],
  ),
  agentsBack: paused(
    'agents that were left out beside a provider',
    [200, 600, 1_200, 2_500, 5_000],
  ),
  oneLost: paused('a request or an answer that was lost on its way', [100, 500]),
} as const satisfies Waits;

export const waits = { ...commonWaits, ...computeWaits, ...routerWaits } as const;

export type WaitName = keyof typeof waits;

/** The rows of every contract and those of one contract, as lines of text. */
export function waitLines(own: Waits): readonly string[] {
  return Object.values<Wait>({ ...commonWaits, ...own }).map(
    (wait) => `  ${wait.awaits}: ${timesOf(wait)}`,
  );
}

function timesOf({ pausesMs, withinMs, pollMs }: Wait): string {
  if (pausesMs !== undefined) {
    const pauses = [...pausesMs];
    const total = pauses.reduce((sum, ms) => sum + ms, 0);
    return `${pauses.length + 1} tries, ${total === 0 ? 'at once' : `over ${seconds(total)}`}`;
  }
  const looks = pollMs === undefined ? '' : `, looked at every ${seconds(pollMs[0])} and more`;
  return `${seconds(withinMs ?? 0)}${looks}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}
