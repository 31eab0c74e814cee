/** The runs of an instance: their start and cost, and the runtime after they end (compute#instance, compute#states). */

import { isInstant } from '../../../schemas/compute/wire.ts';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { answeredNumber, numberOf, type ShownRecord, textOf, type WireRecord } from './records.ts';
import { CREDIT, HOUR_MS, ROUNDING } from './figures.ts';

/** Server clocks tick in steps of up to 16 ms. */
const TICK_MS = 20;

/**
 * The start date differs from the one before. `apartMs` is the time between a moment at which the first run was in progress
 * and the request for the second one: dates with a coarser step are not judged.
 */
export function restarted(
  before: WireRecord,
  { record, exchange }: ShownRecord,
  apartMs: number,
): Judgement {
  const dates = instants(before, record, 'started_at');
  if (dates === undefined || record['status'] !== 'RUNNING') return notObserved;
  const [first, second] = dates;
  if (apartMs <= Math.max(dateStepMs(first), dateStepMs(second)) + TICK_MS) return notObserved;
  return expectThat(
    Date.parse(first) !== Date.parse(second),
    'An instance that was started again tells that it last began to run before that.',
    { expected: `later than ${first}`, actual: second },
    exchange,
  );
}

/** A stop does not change `started_at`. A date that disappears is not judged. */
export function startKept(before: ShownRecord, now: ShownRecord): Judgement {
  const message = 'A stop changed the date on which the instance last began to run.';
  return dateKept('started_at', before, now, message);
}

/** An instance that stays TERMINATED has the same date of termination in both records. */
export function terminationKept(before: ShownRecord, now: ShownRecord): Judgement {
  if ([before, now].some(({ record }) => record['status'] !== 'TERMINATED')) return notObserved;
  const message = 'The date of the termination of a terminated instance changed.';
  return dateKept('terminated_at', before, now, message);
}

/** An instance that stays TERMINATED has the same reason of termination in both records. */
export function reasonKept(before: ShownRecord, now: ShownRecord): Judgement {
  const [expected, actual] = [before, now].map(({ record }) =>
    record['status'] === 'TERMINATED' ? textOf(record, 'termination_reason') : undefined,
  );
  if (expected === undefined || actual === undefined) return notObserved;
  return expectThat(
    actual === expected,
    'The reason of the termination of a terminated instance changed.',
    { expected, actual },
    now.exchange,
    before.exchange,
  );
}

/** A date in both records, when both name an instant. */
export function instants(
  one: WireRecord,
  other: WireRecord,
  field: 'started_at' | 'terminated_at',
): readonly [string, string] | undefined {
  const [first = '', second = ''] = [one, other].map((record) => textOf(record, field));
  return isInstant(first) && isInstant(second) ? [first, second] : undefined;
}

/** Both records have the same date, to the precision of the coarser one. */
function dateKept(
  field: 'started_at' | 'terminated_at',
  before: ShownRecord,
  { record, exchange }: ShownRecord,
  message: string,
): Judgement {
  const dates = instants(before.record, record, field);
  if (dates === undefined) return notObserved;
  const [first, second] = dates;
  const apartMs = Math.abs(Date.parse(second) - Date.parse(first));
  return expectThat(
    apartMs <= Math.max(dateStepMs(first), dateStepMs(second)),
    message,
    { expected: first, actual: second },
    exchange,
    before.exchange,
  );
}

const MINUTE_MS = 60_000;

/** The step of a date, derived from its digits; trailing zeros may be padding. */
function dateStepMs(date: string): number {
  if (Date.parse(date) % MINUTE_MS === 0) return MINUTE_MS;
  const [, digits = ''] = /\.(\d*?)0*(?:[Zz]|[+-]\d{2}:\d{2})$/u.exec(date) ?? [];
  return 1_000 / 10 ** digits.length;
}

/** The cost of the current run is at most the rise of the total since the stop. Both records are from lists. */
export function costOfNewRun(stopped: ShownRecord, { record, exchange }: ShownRecord): Judgement {
  const before = numberOf(stopped.record, 'total_cost_incurred');
  const [total, current] = ['total_cost_incurred', 'current_cost'].map((name) =>
    numberOf(record, name),
  );
  if (before === undefined || total === undefined || current === undefined) return notObserved;
  // The total may be rounded to whole credits and booked once an hour.
  const slack = CREDIT + (numberOf(record, 'hourly_rate') ?? 0);
  if (record['status'] !== 'RUNNING' || before <= slack) return notObserved;
  return expectThat(
    current <= total - before + slack,
    'The cost of the current run is above what the instance has cost since it was started.',
    { expected: `at most ${Math.max(0, total - before)}`, actual: current },
    exchange,
    stopped.exchange,
  );
}

/** Figures that add up over the whole life of an instance. */
const totals = ['total_runtime_hours', 'total_cost_incurred'] as const;
/** A meter may correct a little of what it showed, but not most of it. */
const MOSTLY = 0.5;

interface Stopped {
  readonly single: ShownRecord;
  readonly listed: ShownRecord;
}

/** A start does not set back the totals of an instance. A list that shows the earlier start may come from a stale replica. */
export function totalsKept(stopped: Stopped, started: ShownRecord): Judgement {
  const starts = instants(stopped.listed.record, started.record, 'started_at');
  if (starts === undefined || starts[0] === starts[1]) return notObserved;
  return notSetBack(stopped, started, 'A start');
}

/** A terminate does not set back the totals of an instance either. */
export function totalsStay(stopped: Stopped, ended: ShownRecord): Judgement {
  if (ended.record['status'] !== 'TERMINATED') return notObserved;
  return notSetBack(stopped, ended, 'A terminate');
}

/** Only a total that was equal in the single record and in the list of the stopped instance had settled. */
function notSetBack(
  { single, listed }: Stopped,
  { record, exchange }: ShownRecord,
  what: string,
): Judgement {
  if ([single, listed].some((one) => one.record['status'] !== 'STOPPED')) return notObserved;
  return together(
    ...totals.map((name) => {
      const [before, alike, after] = [listed.record, single.record, record].map((one) =>
        numberOf(one, name),
      );
      if (before === undefined || after === undefined || before !== alike || before <= 0) {
        return notObserved;
      }
      return expectThat(
        after >= MOSTLY * before,
        `${what} of an instance set its ${name} back.`,
        { expected: `at least ${before}`, actual: after },
        exchange,
        listed.exchange,
      );
    }),
  );
}

export interface RuntimeReading {
  /** `total_runtime_hours` */
  readonly hours: number;
  readonly exchange: Exchange;
}

/** The runtime that a record shows, if any. */
export function runtimeIn(record: WireRecord, exchange: Exchange): readonly RuntimeReading[] {
  const hours = numberOf(record, 'total_runtime_hours');
  return hours === undefined ? [] : [{ hours, exchange }];
}

/** Fewest readings that are judged, and changes among them that are more than a meter catching up once. */
const ENOUGH = 3;
export const CHANGES_THAT_CONVINCE = 2;

/**
 * A meter that is read in steps may add the end of the last run once; one that keeps growing is a violation. Equal readings
 * count only when they are further apart than the step of the figure.
 */
export function runtimeRests(readings: readonly RuntimeReading[]): Judgement {
  if (readings.length < ENOUGH) return notObserved;
  const growths = readings.filter(({ hours }, index) => {
    const before = readings[index - 1];
    return before !== undefined && hours > before.hours;
  });
  if (growths.length < CHANGES_THAT_CONVINCE && !isMeasurable(readings)) return notObserved;
  return expectThat(
    growths.length < CHANGES_THAT_CONVINCE,
    'The runtime of an instance that does not run keeps growing.',
    { expected: readings[0]?.hours, actual: readings.map(({ hours }) => hours) },
    ...growths.slice(0, 2).map(({ exchange }) => exchange),
  );
}

/** Whether a growing runtime would have shown enough growths; the finest figure gives the step. */
function isMeasurable(readings: readonly RuntimeReading[]): boolean {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return false;
  const digits = readings.map(({ hours }) => /\.(\d+)$/u.exec(String(hours))?.[1]?.length ?? 0);
  const stepMs = HOUR_MS / 10 ** Math.max(...digits);
  return last.exchange.startedAt - first.exchange.startedAt >= CHANGES_THAT_CONVINCE * stepMs;
}

/** Milliseconds after which any meter has caught up with the end of a run. */
export const METER_LAG_MS = 10_000;

/** Hours that a run may lose to rounding when it ends. */
const MIN_HOURS = 0.1;

/** The runtime after a stop is at least half of what a list showed before: it may be rounded, but not forgotten. */
export function runtimeKept(before: ShownRecord, stop: Exchange): Judgement {
  const first = numberOf(before.record, 'total_runtime_hours');
  const later = answeredNumber(stop, 'total_runtime_hours');
  if (first === undefined || later === undefined || first < MIN_HOURS) return notObserved;
  return expectThat(
    later >= first / 2,
    'The runtime of an instance is far below what it was before the instance was stopped.',
    { expected: `about ${first}`, actual: later },
    stop,
    before.exchange,
  );
}

/** Storage costs less than this multiple of the price of a running instance. */
const STORAGE_SHARE = 100;

/**
 * Consecutive stops of a stopped instance take nothing off its totals. Copies that differ would make a total go up again;
 * only one that falls twice and never rises is a violation.
 */
export function stopsTakeNothing(stops: readonly Exchange[]): Judgement {
  return together(
    ...totals.map((name) => {
      const figures = stops.flatMap((stop) => answeredNumber(stop, name) ?? []);
      const steps = figures.slice(1).map((figure, index) => figure - (figures[index] ?? figure));
      if (figures.length < ENOUGH) return notObserved;
      const isTaken =
        steps.every((step) => step <= 0) &&
        steps.filter((step) => step < 0).length >= CHANGES_THAT_CONVINCE;
      return expectThat(
        !isTaken,
        `Each stop of a stopped instance takes something off its ${name}.`,
        { expected: figures[0], actual: figures },
        ...stops.slice(0, 2),
      );
    }),
  );
}

/**
 * Consecutive stops of a stopped instance add nothing to its cost. Storage may be charged, and a meter may book the last
 * run meanwhile. Only a cost that grows twice, and by far more than storage can cost, is a violation.
 */
export function stopsAreFree(stops: readonly Exchange[]): Judgement {
  const costs = stops.flatMap((stop) => answeredNumber(stop, 'total_cost_incurred') ?? []);
  const [first, last] = [stops[0], stops.at(-1)];
  const [from, until] = [costs[0], costs.at(-1)];
  if (first === undefined || last === undefined || costs.length < ENOUGH) return notObserved;
  if (from === undefined || until === undefined) return notObserved;
  const growths = costs.filter((cost, index) => cost > (costs[index - 1] ?? cost));
  const hours = (endOf(last) - first.startedAt) / HOUR_MS;
  const most = STORAGE_SHARE * (answeredNumber(first, 'hourly_rate') ?? 0) * hours + 2 * ROUNDING;
  return expectThat(
    growths.length < CHANGES_THAT_CONVINCE || until - from <= most,
    'Each stop of a stopped instance adds to its cost.',
    { expected: from, actual: costs },
    last,
    first,
  );
}
