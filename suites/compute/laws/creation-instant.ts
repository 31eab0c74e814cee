/** The creation instant of one instance: both bounds of a date window include it, in any notation. */

import { filterOfState } from '../../../harness/checks/collection/chosen-values.ts';
import { isRegionCode } from '../../../schemas/compute/regions.ts';
import { idsOf, textOf, type WireRecord } from '../../../harness/checks/compute/records.ts';
import {
  compareOne,
  type Define,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import { instances } from '../collections.ts';
import {
  type Boundary,
  meetsInclusively,
  missedInFineTimes,
  missesOnWholeMinute,
  overlapsByStep,
} from '../../../harness/checks/collection/boundary.ts';
import { BEFORE_ALL, instantInBoth, windows } from '../../../harness/checks/collection/window.ts';
import { notObserved, pass } from '../../../harness/checks/judgement.ts';
import { sameItems } from '../../../harness/checks/collection/walk.ts';
import {
  type FineMeeting,
  atOffset,
  findBoundary,
  instant,
  meetsWithin,
  observeWindow,
} from '../../../harness/drivers/collection/dating.ts';
import { type ListQuery, readWindow } from '../../../harness/drivers/collection/reading.ts';
import { type ComputeContext, idsIn } from '../../../harness/drivers/compute/session.ts';
import { eventually } from '../../../harness/runner/retry.ts';
import { dated } from './windows.ts';

const of = idsIn('list-instances');

/** Finds the creation time of one instance to the millisecond. */
export function creationInstant(test: Define): void {
  test(
    'the instant of a creation is within both bounds, however it is written',
    {
      judges: [
        of('date-begin-inclusive'),
        of('date-end-inclusive'),
        of('date-offset'),
        of('date-begin'),
        of('date-end'),
        of('date-window'),
        of('filters-combine'),
      ],
    },
    async (t) => {
      const { ids, observations } = await dated(t);
      const { records } = await wholeOf(t, instances, {}, { mostPages: 1 }).known();
      // An instance in a state that has a filter tells more.
      const telling = new Set(idsOf(records.filter((one) => filtersOf(one).status !== undefined)));
      const half = Math.floor(ids.length / 2);
      const middle = Math.max(
        half,
        ids.findIndex((one, at) => at >= half && telling.has(one)),
      );
      const id = ids[middle] ?? '';
      const boundary = await findBoundary(t.api, id, observations);
      const further = missesOnWholeMinute(boundary)
        ? [...ids.slice(middle + 1), ...ids.slice(0, middle)].slice(0, 2)
        : [];
      const others = await Promise.all(
        further.map(async (one) => findBoundary(t.api, one, observations)),
      );
      // Even a whole minute may be chance, so finer times decide.
      const isMissed = boundary.firstEnd - boundary.lastBegin === 1;
      const fine = isMissed ? await meetsWithin(t.api, id, boundary) : undefined;
      judgeBounds(t, [boundary, ...others], fine);
      await judgePoint(t, id, instantWithin(boundary, fine));
      await judgeGrasp(t, id, boundary);
      for (const bound of ['date-begin', 'date-end'] as const) {
        t.judge(of(bound), overlapsByStep(boundary));
      }
      await judgeWritings(t, boundary);
    },
  );
}

/** Judges that both bounds are inclusive, in milliseconds or in the finest times that the filters read. */
function judgeBounds(
  t: ComputeContext,
  [boundary, ...others]: readonly [Boundary, ...Boundary[]],
  fine: FineMeeting | undefined,
): void {
  const { begin, end } = meetsInclusively(boundary, ...others);
  for (const [id, judgement] of [
    [of('date-begin-inclusive'), begin],
    [of('date-end-inclusive'), end],
  ] as const) {
    if (fine?.outcome === 'met') t.judge(id, pass());
    else if (fine?.outcome === 'missed')
      t.judge(id, missedInFineTimes(fine.around, fine.exchanges));
    else if (judgement.seen > 0) t.judge(id, judgement);
    else {
      const reason = 'the service may keep finer times than its filters';
      t.inconclusive(id, `the instant was not met: ${reason}`);
    }
  }
}

/** More than the difference between the clocks of the service and the suite. */
const DAY_MS = 86_400_000;

/** An instant at which both bounds include the instance, as filter text; undefined if none is known. */
function instantWithin(
  { lastBegin, firstEnd }: Boundary,
  fine: FineMeeting | undefined,
): string | undefined {
  if (lastBegin >= firstEnd) return instant(lastBegin);
  return fine?.outcome === 'met' ? fine.around[0] : undefined;
}

/** The filters that select an instance by what its record shows. */
function filtersOf(record: WireRecord) {
  const region = isRegionCode(record['region']) ? textOf(record, 'region') : undefined;
  const status = filterOfState(record['status']);
  return { status, region, gpu_type: textOf(record, 'gpu_type') };
}

/** Judges that windows that begin or end at the instant, or both, include the instance, since each bound alone does; also sorted. */
async function judgePoint(t: ComputeContext, id: string, at: string | undefined): Promise<void> {
  if (at === undefined) return;
  const [begin, end] = [{ date_range_begin: at }, { date_range_end: at }];
  const windowsToThere = [
    { ...begin, ...end },
    { ...begin, ...end, sort_field: 'NAME' },
    { date_range_begin: instant(BEFORE_ALL), ...end },
    { ...begin, date_range_end: instant(Date.now() + DAY_MS) },
  ];
  /** Whether a query gives the instance, since each of its parts alone does. */
  const together = async (query: ListQuery, ...parts: readonly ListQuery[]) => {
    const window = await readWindow(t.api, query);
    if (window.ids.includes(id)) return pass();
    const alone = [];
    for (const part of parts) alone.push(await readWindow(t.api, part));
    return instantInBoth(id, window, alone, JSON.stringify(query));
  };
  for (const both of t.some(windowsToThere, 1)) {
    const judged = async () => together(both, begin, end);
    t.judge(of('date-window'), await eventually(t, 'twiceMore', judged));
  }
  // Each bound also beside the filters that select the instance as it is now.
  for (const bound of [begin, end]) {
    const judged = async () => {
      const alone = await readWindow(t.api, bound);
      const record = alone.records.find((_, index) => alone.ids[index] === id);
      if (record === undefined) return notObserved;
      const filters = filtersOf(record);
      return together({ ...bound, ...filters }, bound, filters);
    };
    const combined = await eventually(t, 'copyCatchesUp', judged);
    t.judge(of('filters-combine'), combined);
  }
}

/** A distance between two bounds that cutting dates to seconds cannot close. */
const APART_MS = 2_000;

/** Judges that a window that ends before another begins shares no items with it, which reveals too wide bounds. */
async function judgeGrasp(t: ComputeContext, id: string, { lastBegin }: Boundary): Promise<void> {
  const begin = await observeWindow(t.api, 'begin', lastBegin);
  const end = await observeWindow(t.api, 'end', lastBegin - APART_MS);
  for (const { requirement, judgement } of windows([id], [begin, end], Date.now())) {
    if (requirement === of('newest-first')) continue;
    if (begin.ids.includes(id)) {
      t.judge(requirement, judgement.violations.length > 0 ? judgement : pass());
    } else t.notExercised(requirement, 'the instance disappeared while its creation was dated');
  }
}

/** Offsets for the same instant; ignoring the offset or its minutes shifts the time by half a day or half an hour. */
const offsets = [
  ['date_range_begin', ['+12:00', '-11:00', '+05:30', '+00:00']],
  ['date_range_end', ['-11:00', '+12:00', '-05:30']],
] as const;

/** The offset at which an instant is in the hour after noon, which a clock of twelve hours reads as midnight. */
function noonOf(at: number): string {
  const hours = 12 - new Date(at).getUTCHours();
  return `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
}

/** Further digits for microseconds and nanoseconds. */
const finer = ['000Z', '000000Z'] as const;

/**
 * Judges that each bound gives the same list when its instant has another offset or more digits. Unreadable notations do
 * not count for the requirement of the bound.
 */
async function judgeWritings(t: ComputeContext, { lastBegin, firstEnd }: Boundary): Promise<void> {
  for (const [bound, written] of offsets) {
    const isBegin = bound === 'date_range_begin';
    // Creations may be dated in whole seconds; an instant beside one, still in the window, has a fraction to misread.
    const at = isBegin ? lastBegin - 1 : firstEnd + 1;
    const zulu = wholeOf(t, instances, { [bound]: instant(at) }, { mostPages: 1 });
    const id = of(`date-${isBegin ? 'begin' : 'end'}`);
    for (const text of [
      ...[...t.some(written, 1), noonOf(at)].map((offset) => atOffset(at, offset)),
      ...finer.map((digits) => instant(at).replace('Z', digits)),
    ]) {
      await compareOne(
        t,
        zulu,
        async () => readWindow(t.api, { [bound]: text }),
        ({ before, after }, other) => {
          const judgement = sameItems({ before: before.ids, after: after.ids }, other);
          const read = { requirement: id, judgement: other.readable ? judgement : notObserved };
          return [{ requirement: of('date-offset'), judgement }, read];
        },
      );
    }
  }
}
