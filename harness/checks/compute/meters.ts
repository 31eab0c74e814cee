/** Figures of instances over a whole run of the suite: runtimes at rest, and costs of runs in lists of every kind. */

import { type Exchange, endOf } from '../../exchange/exchange.ts';
import {
  expectThat,
  joined,
  type Judgement,
  notObserved,
  pass,
  present,
  violated,
} from '../judgement.ts';
import { costOfLongRun, CREDIT, HOUR_MS, ROUNDING, saidIn } from './figures.ts';
import type { ComputeFold, Shown } from './operation.ts';
import { answeredNumber, idOf, numberOf, textOf, type WireRecord } from './records.ts';
import {
  CHANGES_THAT_CONVINCE,
  METER_LAG_MS,
  runtimeIn,
  type RuntimeReading,
  runtimeRests,
} from './runs.ts';

/** The latest runtime readings of one instance at rest, in one kind of response. */
interface Rest {
  readonly started: string;
  readonly readings: readonly RuntimeReading[];
}

const atRest: ReadonlySet<unknown> = new Set(['STOPPED', 'TERMINATED']);

/** Readings that are kept for an instance: the first one, and those that grew. */
const KEPT = CHANGES_THAT_CONVINCE + 1;

/**
 * The runtime of a stopped or terminated instance does not grow (compute#states/running-stop/billing). A figure with few
 * digits grows too slowly to be judged within one case. An instance that was started again in between shows another
 * `started_at`.
 */
export const runtimesRest: ComputeFold<Rest> = {
  requirement: 'compute.states.runtime-rests',
  judge: (shown, known) => {
    const all = shown.records.map((record) => restOf(shown, record, known));
    return {
      judgement: joined(all.map(({ judgement }) => judgement)),
      learned: all.map(({ key, rest }) => [key, rest] as const),
    };
  },
};

function restOf(
  { exchange, kind }: Shown,
  record: WireRecord,
  known: ReadonlyMap<string, Rest>,
): { readonly key: string; readonly rest: Rest | undefined; readonly judgement: Judgement } {
  const key = `${kind} ${idOf(record)}`;
  const [reading] = atRest.has(record['status']) ? runtimeIn(record, exchange) : [];
  const started = textOf(record, 'started_at');
  if (reading === undefined || started === undefined) {
    return { key, rest: undefined, judgement: notObserved };
  }
  const earlier = known.get(key);
  const [first] = earlier?.readings ?? [];
  if (earlier?.started !== started || first === undefined) {
    return { key, rest: { started, readings: [reading] }, judgement: notObserved };
  }
  if (exchange.startedAt <= first.exchange.startedAt + METER_LAG_MS) {
    return { key, rest: earlier, judgement: notObserved };
  }
  const before = earlier.readings.at(-1) ?? first;
  const readings =
    reading.hours > before.hours ? [...earlier.readings, reading].slice(-KEPT) : earlier.readings;
  const judgement = runtimeRests(readings.length < KEPT ? [first, before, reading] : readings);
  return { key, rest: { started, readings }, judgement };
}

/**
 * The cost in a list is that of the current run, on every page and whatever filters and sorts it (compute#variants/rule-1).
 * Only a second page that shows far more of an instance is a violation.
 */
export const costsOfRuns: ComputeFold<Exchange> = {
  requirement: 'compute.instance-record.list-cost-of-current-run',
  judge: ({ exchange, kind }, known) => {
    const said = kind === 'list' ? saidIn(exchange, costOfLongRun) : [];
    const broken = said.filter(([, { isBroken }]) => isBroken);
    const [id, again] = broken.find(([one]) => known.has(one)) ?? [];
    const earlier = id === undefined ? undefined : known.get(id);
    const judgement =
      again === undefined || earlier === undefined
        ? pass(said.length - broken.length)
        : violated(
            costOfLongRun.message,
            { expected: again.expected, actual: `${present(again.actual)} (instance ${id})` },
            exchange,
            earlier,
          );
    return {
      judgement,
      learned: broken.map(([one]) => [one, known.get(one) ?? exchange] as const),
    };
  },
};

/** The cost in the response to a stop is not below the total that a list showed before, apart from rounding. */
export function costNotReset(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total - CREDIT);
}

/** The same of the total in the response, which is that of the whole life in every variant. */
export function totalNotReset(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total - CREDIT, 'total_cost_incurred');
}

/** A first stop ends a run, and its cost may be rounded then: only a cost below half of the total is a violation. */
export function costKept(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total / 2);
}

function costAtLeast(
  listedBefore: WireRecord,
  stop: Exchange,
  least: (total: number) => number,
  field: 'current_cost' | 'total_cost_incurred' = 'current_cost',
): Judgement {
  const total = numberOf(listedBefore, 'total_cost_incurred');
  const current = answeredNumber(stop, field);
  if (total === undefined || current === undefined || total <= CREDIT) return notObserved;
  return expectThat(
    current >= least(total),
    `The ${field} in the answer to a stop is below the total cost that was seen before.`,
    { expected: `at least ${least(total)}`, actual: current },
    stop,
  );
}

/**
 * The remaining hours in three responses to stops of stopped instances: the first instance, the second, the first again.
 * The organisation's consumption may change at any time, so the two responses of the first instance must agree before the
 * second is compared with them; otherwise `drifting`.
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
  // Time alone takes an hour of runway per hour, or a little more when consumption is counted in steps.
  const slack = ROUNDING + 2 * elapsed + 1e-6 * Math.max(Math.abs(a), Math.abs(c));
  if (Math.abs(a - c) > slack) return 'drifting';
  const [low, high] = [Math.min(a, c) - slack, Math.max(a, c) + slack];
  const isSame = b >= low && b <= high;
  // A runway that is computed per instance is also equal when the rates are equal.
  if (isSame && answeredNumber(first, 'hourly_rate') === answeredNumber(second, 'hourly_rate'))
    return notObserved;
  return expectThat(
    isSame,
    'Two instances of one organisation report different remaining hours.',
    { expected: a, actual: b },
    second,
    first,
    repeated,
  );
}
