/** The runtime of a stopped instance, read over and over (compute#states/running-stop/billing). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { type WireRecord, actionRecordOf, numberOf } from './records.ts';

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

/** A meter that is read in steps may still add the end of the last run once; one that keeps running is wrong. */
export function runtimeRests(readings: readonly RuntimeReading[]): Judgement {
  if (readings.length < ENOUGH) return notObserved;
  const growths = readings.filter(({ hours }, index) => {
    const before = readings[index - 1];
    return before !== undefined && hours > before.hours;
  });
  return expectThat(
    growths.length < GROWTHS_THAT_CONVINCE,
    'The runtime of a stopped instance keeps growing.',
    { expected: readings[0]?.hours, actual: readings.map(({ hours }) => hours) },
    ...growths.slice(0, 2).map(({ exchange }) => exchange),
  );
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
