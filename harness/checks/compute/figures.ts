/** Time, money and hours in records, held against the clock and against each other (compute#instance, compute#variants). The margins are wider than any clock or rounding. */

import { isInstant } from '../../../schemas/compute/wire.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import {
  expectThat,
  type Judgement,
  notObserved,
  pass,
  present,
  together,
  violated,
} from '../judgement.ts';
import { endOf } from '../reading.ts';
import {
  answeredNumber,
  instancesOf,
  numberOf,
  type ShownRecord,
  textOf,
  type WireRecord,
} from './records.ts';

/** A hundredth of a credit or a gigabyte, and what binary fractions add to it. */
export const ROUNDING = 0.011;

/** The same for costs: one of the figures may be rounded to the credit. */
export const CREDIT = 1 + ROUNDING;

const HOUR_MS = 3_600_000;
const RATE = 'hourly_rate';
/** Clocks of hosts and of testers are no further apart. */
export const CLOCKS_APART_MS = 300_000;

/** When an answer was made, in milliseconds since the epoch: by our clock, and by the one of the server if it shows. */
interface Clock {
  readonly earliest: number;
  readonly latest: number;
  /** By how much a date may lie outside. */
  readonly apartMs: number;
}

interface Said {
  readonly isBroken: boolean;
  readonly expected: string;
  readonly actual: unknown;
}

/** What a record says of a law; undefined where it says nothing. */
interface Law {
  readonly message: string;
  readonly read: (record: WireRecord, clock: Clock) => Said | undefined;
}

/** The current cost of a RUNNING instance is what its run can have cost, and not what its whole life has. */
export const costOfCurrentRun: Law = {
  message: 'The current cost in a list is far above what the current run can have cost.',
  read: (record, clock) => {
    const run = runOf(record, clock);
    const [current, total, rate] = ['current_cost', 'total_cost_incurred', 'hourly_rate'].map(
      (field) => numberOf(record, field),
    );
    const runtime = numberOf(record, 'total_runtime_hours') ?? 0;
    if (run === undefined || current === undefined || total === undefined || rate === undefined) {
      return undefined;
    }
    // A price may have fallen since the run began: the mean one of the whole life counts as well.
    const price = Math.max(rate, runtime > 0 ? total / runtime : 0);
    const most = 2 * price * run.mostHours + price + CREDIT;
    if (total <= most) return undefined;
    return { isBroken: current > most, expected: `at most ${most.toFixed(2)}`, actual: current };
  },
};

/** Hours of a run from which on even a meter that is booked once a day shows a good part of it. */
const TELLING_RUN_HOURS = 30;
const PART_OF_RUN = 1 / 6;

/** The runtime of a RUNNING instance holds its current run, in hours. */
export const runtimeHoldsRun: Law = {
  message: 'The total runtime of a running instance is far below the hours of its current run.',
  read: (record, clock) => {
    const run = runOf(record, clock);
    const runtime = numberOf(record, 'total_runtime_hours');
    if (run === undefined || runtime === undefined || run.leastHours < TELLING_RUN_HOURS)
      return undefined;
    const expected = `about ${Math.round(run.leastHours)} hours or more`;
    return { isBroken: runtime < PART_OF_RUN * run.leastHours, expected, actual: runtime };
  },
};

/** Neither date of an instance lies in the future. */
export const datesNotAhead: Law = {
  message: 'A date of an instance lies in the future.',
  read: (record, { latest, apartMs }) => {
    const dates = ['started_at', 'terminated_at'].flatMap((field) => textOf(record, field) ?? []);
    const instants = dates.filter((date) => isInstant(date));
    if (instants.length === 0) return undefined;
    const ahead = instants.find((date) => Date.parse(date) > latest + apartMs);
    const expected = `no later than ${new Date(latest).toISOString()}`;
    return { isBroken: ahead !== undefined, expected, actual: ahead };
  },
};

/** Judges two pages of instances that were read one after the other: what only one of them shows is no breach. */
export function inBothReadings(first: Exchange, second: Exchange, law: Law): Judgement {
  const before = new Map(saidIn(first, law));
  return together(
    ...saidIn(second, law).map(([id, said]) => {
      const known = before.get(id);
      if (known === undefined) return notObserved;
      if (!said.isBroken || !known.isBroken) return pass();
      const actual = `${present(said.actual)} (instance ${id})`;
      return violated(law.message, { expected: said.expected, actual }, second, first);
    }),
  );
}

function saidIn(page: Exchange, law: Law): readonly (readonly [string, Said])[] {
  const clock = clockOf(page);
  return (instancesOf(page) ?? []).flatMap((record) => {
    const id = textOf(record, 'instance_id');
    const said = law.read(record, clock);
    return id === undefined || said === undefined ? [] : [[id.toLowerCase(), said] as const];
  });
}

/** The hours of the current run, as few and as many as they can be; undefined for what does not run. */
function runOf(
  record: WireRecord,
  { earliest, latest }: Clock,
): { readonly leastHours: number; readonly mostHours: number } | undefined {
  const started = textOf(record, 'started_at') ?? '';
  if (record['status'] !== 'RUNNING' || !isInstant(started)) return undefined;
  const since = Date.parse(started);
  return {
    leastHours: Math.max(0, earliest - since) / HOUR_MS,
    mostHours: Math.max(0, latest - since) / HOUR_MS,
  };
}

/** What a clock that does not show may be apart from ours: time zones are told wrong, and testers' clocks are. */
const UNSEEN_CLOCK_MS = 26 * HOUR_MS;

/** The clock of the server counts as well as ours: a tester's may be set to anything. */
export function clockOf(answer: Exchange): Clock {
  const ours = endOf(answer);
  const theirs = Date.parse(headerValue(answer.response?.headers ?? [], 'date') ?? '');
  if (Number.isNaN(theirs)) return { earliest: ours, latest: ours, apartMs: UNSEEN_CLOCK_MS };
  const [earliest, latest] = [Math.min(ours, theirs), Math.max(ours, theirs)];
  return { earliest, latest, apartMs: CLOCKS_APART_MS };
}

/** Readings of one date that must all be wrong before one is. */
const READINGS = 2;

/**
 * A date lies between two exchanges, during which what it dates was seen to happen. Says nothing with fewer than two readings
 * of it.
 */
export function datedBetween(
  field: 'started_at' | 'terminated_at',
  readings: readonly ShownRecord[],
  from: Exchange,
  until: Exchange,
): Judgement {
  const measured = readings
    .map(({ record, exchange }) => ({ date: textOf(record, field) ?? '', exchange }))
    .filter(({ date }) => isInstant(date));
  const [began, ended] = [clockOf(from), clockOf(until)];
  const earliest = began.earliest - from.durationMs - began.apartMs;
  const latest = ended.latest + ended.apartMs;
  const outside = measured.filter(
    ({ date }) => Date.parse(date) < earliest || Date.parse(date) > latest,
  );
  const [first] = outside;
  if (measured.length < READINGS) return notObserved;
  if (first === undefined || outside.length < measured.length) return pass();
  const [low, high] = [earliest, latest].map((one) => new Date(one).toISOString());
  return violated(
    `${field} lies elsewhere than what it dates was seen to happen.`,
    { expected: `from ${low} to ${high}`, actual: first.date },
    first.exchange,
    until,
  );
}

/** Hours that are more than any rounding; a run of fewer tells no unit from another. */
const TELLING_HOURS = 4;
const INSTANCES = 3;

/** The instances that claim to have run longest, each with the moment in the middle of what it claims. */
export function longestRun(
  page: Exchange,
): readonly { readonly record: WireRecord; readonly hours: number; readonly midst: number }[] {
  const claims = (instancesOf(page) ?? []).flatMap((record) => {
    const hours = numberOf(record, 'total_runtime_hours') ?? 0;
    const midst = Math.max(0, clockOf(page).latest - (hours / 2) * HOUR_MS);
    return hours < TELLING_HOURS ? [] : [{ record, hours, midst }];
  });
  return claims.toSorted((one, other) => other.hours - one.hours).slice(0, INSTANCES);
}

/** An instance that claims to have run for some hours, and whether it was created in the latter half of them alone. */
export interface Claim {
  readonly hours: number;
  readonly isYounger: boolean;
  readonly exchange: Exchange;
}

/** Instances have not run for longer than they have been there: all of several that claim so count in another unit. */
export function withinLife(claims: readonly Claim[]): Judgement {
  if (claims.length < 2) return notObserved;
  if (claims.some(({ isYounger }) => !isYounger)) return pass(claims.length);
  return violated(
    'Instances show more hours of runtime than have passed since they were created.',
    { expected: 'hours', actual: claims.map(({ hours }) => hours) },
    ...claims.map(({ exchange }) => exchange),
  );
}

/**
 * The cost in the answer to a stop is not below the whole cost that a list showed before, but for how it is rounded. What has
 * cost no more than that tells nothing.
 */
export function costNotReset(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total - CREDIT);
}

/** A first stop ends a run whose cost may be rounded then: only a small part of the whole cost is wrong. */
export function costKept(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total / 2);
}

function costAtLeast(
  listedBefore: WireRecord,
  stop: Exchange,
  least: (total: number) => number,
): Judgement {
  const total = numberOf(listedBefore, 'total_cost_incurred');
  const current = answeredNumber(stop, 'current_cost');
  if (total === undefined || current === undefined || total <= CREDIT) return notObserved;
  return expectThat(
    current >= least(total),
    'The current cost in the answer to a stop is below the total cost that was seen before.',
    { expected: `at least ${least(total)}`, actual: current },
    stop,
  );
}

/** Half a unit of a figure rounded to two places, twice: once on each side. */
const HALF_UNITS = 0.011;

/**
 * The remaining hours in three answers to stops of stopped instances: the first instance, the second, the
 * first again. The burn of the organisation may change at any time, so the two answers of the first
 * instance must agree before the second is held against them. `drifting` where they do not.
 */
export function sameRemainingHours(
  first: Exchange,
  second: Exchange,
  repeated: Exchange,
): Judgement | 'drifting' {
  const [a, b, c] = [first, second, repeated].map((stop) =>
    answeredNumber(stop, 'ttl_remaining_hours'),
  );
  if (a === undefined || b === undefined || c === undefined) return notObserved;
  const elapsed = (endOf(repeated) - first.startedAt) / HOUR_MS;
  // Time alone takes an hour of runway in an hour, or a little more when the burn is counted in steps.
  const slack = HALF_UNITS + 2 * elapsed + 1e-6 * Math.max(Math.abs(a), Math.abs(c));
  if (Math.abs(a - c) > slack) return 'drifting';
  const [low, high] = [Math.min(a, c) - slack, Math.max(a, c) + slack];
  const isSame = b >= low && b <= high;
  // Hours of each instance for itself are the same at the same rate.
  if (isSame && answeredNumber(first, RATE) === answeredNumber(second, RATE)) return notObserved;
  return expectThat(
    isSame,
    'Two instances of one organisation report different remaining hours.',
    { expected: a, actual: b },
    second,
    first,
    repeated,
  );
}
