/** Dates, costs and hours in records against the clock and each other, with wide margins (compute#instance, #variants). */

import { isInstant } from '../../../schemas/compute/wire.ts';
import { type Exchange, headerValue, endOf } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, pass, present, together, violated } from '../judgement.ts';
import {
  answeredNumber,
  instancesOf,
  numberOf,
  type ShownRecord,
  textOf,
  type WireRecord,
} from './records.ts';

/** A hundredth of a credit or a gigabyte, and the error of binary fractions. */
export const ROUNDING = 0.011;

/** The same for costs: one of them may be rounded to whole credits. */
export const CREDIT = 1 + ROUNDING;

export const HOUR_MS = 3_600_000;
/** Largest difference between the clocks of the hosts and of the machine that runs the suite. */
export const CLOCKS_APART_MS = 300_000;

/** When a response was made, in milliseconds since the epoch, by our clock and the server's where it sends a Date. */
interface Clock {
  readonly earliest: number;
  readonly latest: number;
  /** How far a date may lie outside, in milliseconds. */
  readonly apartMs: number;
}

interface Said {
  readonly isBroken: boolean;
  readonly expected: string;
  readonly actual: unknown;
}

/** One rule about a record; `read` gives undefined for a record that says nothing about it. */
interface Law {
  readonly message: string;
  readonly read: (record: WireRecord, clock: Clock) => Said | undefined;
}

/** Hours of a run after which even a meter that is booked once a day shows a good part of it. */
const TELLING_RUN_HOURS = 30;
const PART_OF_RUN = 1 / 6;

/** The current cost of a RUNNING instance is that of its current run, not that of its whole life or of runs that ended. */
export const costOfCurrentRun: Law = {
  message: 'The current cost in a list is far from what the current run can have cost.',
  read: (record, clock) => {
    const run = runOf(record, clock);
    const [current, total, rate] = ['current_cost', 'total_cost_incurred', 'hourly_rate'].map(
      (field) => numberOf(record, field),
    );
    const runtime = numberOf(record, 'total_runtime_hours') ?? 0;
    if (run === undefined || current === undefined || total === undefined || rate === undefined) {
      return undefined;
    }
    // The price may have fallen since the run began, so the mean price over the whole life counts as well.
    const mean = runtime > 0 ? total / runtime : 0;
    const price = Math.max(rate, mean);
    const most = 2 * price * run.mostHours + price + CREDIT;
    const isLong = run.leastHours >= TELLING_RUN_HOURS;
    if (total <= most && !isLong) return undefined;
    const least = isLong ? PART_OF_RUN * Math.min(rate, mean) * run.leastHours - CREDIT : -Infinity;
    const expected = `from ${Math.max(0, least).toFixed(2)} to ${most.toFixed(2)}`;
    return {
      isBroken: (total > most && current > most) || current < least,
      expected,
      actual: current,
    };
  },
};

/** Fewest long runs, at two rates or more, that tell the unit of costs, and a factor that no price change or discount explains. */
const LONG_RUNS = 3;
const OTHER_UNIT = 20;

/** What each long run has cost, as a share of its hours at the hourly rate; runs that have cost nothing may be free. */
function sharesOfRate(page: Exchange): readonly number[] {
  const clock = clockOf(page);
  const runs = (instancesOf(page) ?? []).flatMap((record) => {
    const hours = runOf(record, clock)?.leastHours ?? 0;
    const [cost = 0, rate = 0] = ['current_cost', 'hourly_rate'].map((one) =>
      numberOf(record, one),
    );
    // In credits rounded up, a run at a tiny price may show many times its cost.
    const isTold = hours >= TELLING_RUN_HOURS && cost > 0 && rate * hours > CREDIT / OTHER_UNIT;
    return isTold ? [{ rate, share: cost / (rate * hours) }] : [];
  });
  const isEnough = runs.length >= LONG_RUNS && new Set(runs.map(({ rate }) => rate)).size > 1;
  return isEnough ? runs.map(({ share }) => share) : [];
}

/** Costs and rates have one unit: not all long runs have cost far more, or far less, than their hours at the hourly rate. */
export function costsInUnit(first: Exchange, second: Exchange): Judgement {
  const [before, after] = [sharesOfRate(first), sharesOfRate(second)];
  if (before.length === 0 || after.length === 0) return notObserved;
  const shares = [...before, ...after];
  const isOther =
    shares.every((share) => share > OTHER_UNIT) || shares.every((share) => share < 1 / OTHER_UNIT);
  if (!isOther) return pass();
  return violated(
    'The costs of all long runs are far from their hours at the hourly rate, as if in another unit.',
    { expected: 'about 1 for each', actual: after.map((share) => Number(share.toPrecision(3))) },
    second,
    first,
  );
}

/** Hours of a run in which a meter may still show what the run before has cost. */
const METERED_HOURS = 1;

/** The same of an instance that has run for longer than any meter lags behind its start. */
export const costOfLongRun: Law = {
  message: costOfCurrentRun.message,
  read: (record, clock) =>
    (runOf(record, clock)?.leastHours ?? 0) < METERED_HOURS
      ? undefined
      : costOfCurrentRun.read(record, clock),
};

/** The runtime of a RUNNING instance includes its current run, in hours. */
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

/** Neither date of an instance is in the future. */
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

/** Judges two consecutive reads of a page of instances: only a violation in both of them counts. */
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

/** What a law says of each instance of a page, by its id. */
export function saidIn(page: Exchange, law: Law): readonly (readonly [string, Said])[] {
  const clock = clockOf(page);
  return (instancesOf(page) ?? []).flatMap((record) => {
    const id = textOf(record, 'instance_id');
    const said = law.read(record, clock);
    return id === undefined || said === undefined ? [] : [[id.toLowerCase(), said] as const];
  });
}

/** The fewest and most hours that the current run can have lasted; undefined when the instance does not run. */
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

/** How far an unseen server clock may be from ours: clocks and time zones may be set wrongly. */
const UNSEEN_CLOCK_MS = 26 * HOUR_MS;

/** The server's clock counts as well as ours, which may be set to anything. */
export function clockOf(answer: Exchange): Clock {
  const ours = endOf(answer);
  const theirs = Date.parse(headerValue(answer.response?.headers ?? [], 'date') ?? '');
  if (Number.isNaN(theirs)) return { earliest: ours, latest: ours, apartMs: UNSEEN_CLOCK_MS };
  const [earliest, latest] = [Math.min(ours, theirs), Math.max(ours, theirs)];
  return { earliest, latest, apartMs: CLOCKS_APART_MS };
}

/** Fewest reads of one date; a violation needs all of them to be wrong. */
const READINGS = 2;

/** A date lies between two exchanges around the event that it dates. Not observed with fewer than two reads of it. */
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
    `${field} does not fit the time at which the run saw it happen.`,
    { expected: `from ${low} to ${high}`, actual: first.date },
    first.exchange,
    until,
  );
}

/** Fewest hours of runtime that are judged: with less, rounding hides the unit. */
const TELLING_HOURS = 4;
const INSTANCES = 3;

/** The instances with the longest claimed runtime, each with the time in the middle of what it claims. */
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

/** An instance with its claimed hours of runtime, and whether it was created in the latter half of them. */
export interface Claim {
  readonly hours: number;
  readonly isYounger: boolean;
  readonly exchange: Exchange;
}

/** What an answer to an action claims of an instance that a run has made and first looked at in `first`. */
export function claimIn(answer: Exchange, first: Exchange): readonly Claim[] {
  const hours = answeredNumber(answer, 'total_runtime_hours');
  if (hours === undefined || hours < TELLING_HOURS) return [];
  const life = (endOf(answer) - first.startedAt) / HOUR_MS;
  return [{ hours, isYounger: life < hours / 2, exchange: answer }];
}

/** Instances have not run for longer than they exist. When several claims are all wrong, the unit is another one. */
export function withinLife(claims: readonly Claim[]): Judgement {
  if (claims.length < 2) return notObserved;
  if (claims.some(({ isYounger }) => !isYounger)) return pass(claims.length);
  return violated(
    'Instances show more hours of runtime than have passed since they were created.',
    { expected: 'hours', actual: claims.map(({ hours }) => hours) },
    ...claims.map(({ exchange }) => exchange),
  );
}
