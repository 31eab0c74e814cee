/** The runtime of a stopped instance, read over and over (compute#states/running-stop/billing). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, together } from '../judgement.ts';
import { type WireRecord, actionRecordOf, numberOf, textOf } from './records.ts';

export interface RuntimeReading {
  /** `total_runtime_hours` */
  readonly hours: number;
  readonly exchange: Exchange;
}

/** The runtime that a record shows; nothing where it shows none. */
export function runtimeIn(record: WireRecord, exchange: Exchange): readonly RuntimeReading[] {
  const hours = numberOf(record, 'total_runtime_hours');
  return hours === undefined ? [] : [{ hours, exchange }];
}

/** Readings that tell something, and growths among them that are no meter catching up once. */
const ENOUGH = 3;
const GROWTHS_THAT_CONVINCE = 2;

/**
 * A meter that is read in steps may still add the end of the last run once; one that keeps running is wrong. Readings that
 * lie closer together than the figure has digits show nothing where they are the same.
 */
export function runtimeRests(readings: readonly RuntimeReading[]): Judgement {
  if (readings.length < ENOUGH) return notObserved;
  const growths = readings.filter(({ hours }, index) => {
    const before = readings[index - 1];
    return before !== undefined && hours > before.hours;
  });
  if (growths.length < GROWTHS_THAT_CONVINCE && !couldTell(readings)) return notObserved;
  return expectThat(
    growths.length < GROWTHS_THAT_CONVINCE,
    'The runtime of a stopped instance keeps growing.',
    { expected: readings[0]?.hours, actual: readings.map(({ hours }) => hours) },
    ...growths.slice(0, 2).map(({ exchange }) => exchange),
  );
}

const HOUR_MS = 3_600_000;

/** Whether a runtime that goes on would have grown as often as convinces: the finest figure tells the step. */
function couldTell(readings: readonly RuntimeReading[]): boolean {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return false;
  const digits = readings.map(({ hours }) => /\.(\d+)$/u.exec(String(hours))?.[1]?.length ?? 0);
  const stepMs = HOUR_MS / 10 ** Math.max(...digits);
  return last.exchange.startedAt - first.exchange.startedAt >= GROWTHS_THAT_CONVINCE * stepMs;
}

/** Milliseconds after which any meter has caught up with the end of a run. */
const METER_LAG_MS = 10_000;

/** The latest readings of one stopped instance in one kind of answer. */
interface Rest {
  readonly started: string;
  readonly readings: readonly RuntimeReading[];
}

/** Readings of an instance that are kept: the first, and the ones that grew. */
const KEPT = GROWTHS_THAT_CONVINCE + 1;

/**
 * The runtimes of stopped instances over a whole run, by id and kind of answer: a figure of few digits grows too slowly for
 * one case. What was started again in between tells another start.
 */
export class RestingLedger {
  readonly #rests = new Map<string, Rest>();

  /** Judges the records of an answer, and remembers those that are STOPPED. */
  shown(exchange: Exchange, kind: string, records: readonly WireRecord[]): Judgement {
    return together(...records.map((record) => this.#shown(exchange, kind, record)));
  }

  #shown(exchange: Exchange, kind: string, record: WireRecord): Judgement {
    const key = `${kind} ${textOf(record, 'instance_id')?.toLowerCase()}`;
    const [reading] = runtimeIn(record, exchange);
    const started = textOf(record, 'started_at');
    if (record['status'] !== 'STOPPED' || reading === undefined || started === undefined) {
      this.#rests.delete(key);
      return notObserved;
    }
    const known = this.#rests.get(key);
    if (known?.started !== started) {
      this.#rests.set(key, { started, readings: [reading] });
      return notObserved;
    }
    const [first] = known.readings;
    if (first === undefined || exchange.startedAt <= first.exchange.startedAt + METER_LAG_MS) {
      return notObserved;
    }
    const before = known.readings.at(-1) ?? first;
    const readings =
      reading.hours > before.hours ? [...known.readings, reading].slice(-KEPT) : known.readings;
    this.#rests.set(key, { started, readings });
    return runtimeRests(readings.length < KEPT ? [first, before, reading] : readings);
  }
}

/** Hours that a run may lose when it ends and is rounded. */
const MIN_HOURS = 0.1;

/** The runtime after a stop is no small part of what a list showed before: it may be rounded, and is not forgotten. */
export function runtimeKept(
  before: { readonly record: WireRecord; readonly exchange: Exchange },
  stop: Exchange,
): Judgement {
  const first = numberOf(before.record, 'total_runtime_hours');
  const later = numberOf(actionRecordOf(stop) ?? {}, 'total_runtime_hours');
  if (first === undefined || later === undefined || first < MIN_HOURS) return notObserved;
  return expectThat(
    later >= first / 2,
    'The runtime of an instance is far below what it was before the instance was stopped.',
    { expected: `about ${first}`, actual: later },
    stop,
    before.exchange,
  );
}
