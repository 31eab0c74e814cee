/** Figures of instances over a whole run of the suite: runtimes at rest, and costs of runs in lists of every kind. */

import type { Exchange } from '../../exchange/exchange.ts';
import { joined, type Judgement, notObserved, pass, present, violated } from '../judgement.ts';
import { costOfLongRun, saidIn } from './figures.ts';
import type { ComputeFold, Shown } from './operation.ts';
import { idOf, textOf, type WireRecord } from './records.ts';
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
