/** Date windows, and newest first, which only the windows can show. */

import type { Define } from '../../../harness/drivers/collection/collection.ts';
import {
  type Boundary,
  meetsInclusively,
  missedInFineTimes,
  missesOnWholeMinute,
} from '../../../harness/checks/collection/boundary.ts';
import {
  BEFORE_ALL,
  type WindowSight,
  bothBounds,
  instantInBoth,
  windows,
} from '../../../harness/checks/collection/window.ts';
import { settledOrder } from '../../../harness/checks/collection/bracket.ts';
import { notObserved, pass } from '../../../harness/checks/judgement.ts';
import { isSuccess } from '../../../harness/checks/compute/records.ts';
import { notAnswered } from '../../../harness/checks/collection/filter.ts';
import { sameItems } from '../../../harness/checks/collection/walk.ts';
import { instants } from '../../../harness/generate/lists.ts';
import {
  type FineMeeting,
  atOffset,
  chronology,
  findBoundary,
  findSpan,
  instant,
  meetsWithin,
  readWindow,
  sight,
} from '../../../harness/drivers/collection/dating.ts';
import {
  type WholeList,
  boundedSubset,
  having,
  tell,
  wholeInstances,
} from '../../../harness/drivers/collection/whole-list.ts';
import type { ComputeContext } from '../../../harness/drivers/compute/session.ts';
import { experiment } from '../../../harness/drivers/compute/standing.ts';
import { eventually } from '../../../harness/runner/retry.ts';

/** The newest page alone: enough to judge, and the same work on an account of ten thousand. */
const newest = { mostPages: 1 } as const;

/** Windows by which the instances of a page are told apart, in a thorough run and in others. */
const MAX_WINDOWS = 120;
const USUAL_WINDOWS = 48;

/** The newest instances, and windows that tell them apart. */
const dated = experiment(async (t) => {
  const { ids } = await having(wholeInstances(t, {}, newest), 1, 'instances');
  return { ids, sights: await chronology(t.api, ids, t.thorough ? MAX_WINDOWS : USUAL_WINDOWS) };
});

/** A span of time whose middle tells apart instances of the part that one page shows whole. */
export const tellingSpan = experiment(async (t) => {
  const part = wholeInstances(t, await boundedSubset(t), newest);
  const { ids } = await having(part, 2, 'instances');
  return findSpan(t.api, ids);
});

/** Two bounds, each alone and both together; what never comes to rest says nothing. */
async function judgeWindows(
  t: ComputeContext,
  whole: WholeList,
  far: readonly WindowSight[],
  [early, late]: readonly [number, number],
) {
  return whole.againstOne(
    async () => ({
      begin: await sight(t.api, 'begin', early),
      end: await sight(t.api, 'end', late),
      rest: await sight(t.api, 'end', early),
      // Later than the ends: whoever is in both was created after and before.
      last: await sight(t.api, 'begin', late),
      both: await readWindow(t.api, {
        date_range_begin: instant(early),
        date_range_end: instant(late),
      }),
    }),
    (around, { begin, end, rest, last, both }) => [
      ...windows(settledOrder(around), [begin, end, rest, last, ...far], Date.now()),
      {
        requirement: 'compute.list-instances.date-window' as const,
        judgement:
          // Where each bound is good alone, both are, also where they are one instant.
          [begin, end].every(({ exchanges }) => exchanges.every(isSuccess))
            ? (notAnswered(both, `of both bounds, ${instant(early)} and ${instant(late)},`) ??
              bothBounds(settledOrder(around), begin, end, both))
            : notObserved,
      },
    ],
  );
}

/** Windows against each other, against the default order, and around one creation. */
export function windowed(test: Define): void {
  test(
    'windows are the two ends of the default list, and both bounds their overlap',
    {
      judges: [
        'compute.list-instances.date-begin',
        'compute.list-instances.date-end',
        'compute.list-instances.date-window',
        'compute.list-instances.newest-first',
      ],
    },
    async (t) => {
      const whole = wholeInstances(t, {}, newest);
      await having(whole, 2, 'instances');
      // Far outside, where a bound that is ignored cannot hide.
      const far = [
        await sight(t.api, 'begin', Date.UTC(2100, 0, 1)),
        await sight(t.api, 'end', Date.UTC(1990, 0, 1)),
      ];
      tell(
        t,
        // They tell no two instances apart, and so say nothing where they are right: others do, below.
        await whole.againstOne(
          // Nor one that always leaves something out; what is made later is in no window that was read before.
          async () => [
            ...far,
            await sight(t.api, 'begin', BEFORE_ALL),
            await sight(t.api, 'end', Date.UTC(2100, 0, 1)),
          ],
          (around, sights) => windows(settledOrder(around), sights, Date.now()),
        ),
      );
      const { from, to } = await tellingSpan(t);
      const middle = Math.floor((from + to) / 2);
      for (const bounds of [
        [middle, middle],
        [from, middle],
        [middle, to],
      ] as const) {
        tell(t, await judgeWindows(t, whole, far, bounds));
      }
      await t.property(
        'date windows',
        instants(from, to),
        async (bounds, judge) => tell({ judge }, await judgeWindows(t, whole, far, bounds)),
        { weight: 0.3 },
      );
    },
  );

  test(
    'newest first holds from instance to instance, and from page to page',
    {
      judges: [
        'compute.list-instances.newest-first',
        'compute.list-instances.newest-first-later-pages',
      ],
    },
    async (t) => {
      await having(wholeInstances(t, {}, newest), 3, 'instances');
      const { ids, sights } = await dated(t);
      const known = new Set(ids);
      const size = Math.ceil(ids.length / 3);
      // Read after the windows: what was gone before the last of them would make them contradict each other.
      for (const [id, list] of [
        ['compute.list-instances.newest-first', wholeInstances(t, {}, newest)],
        [
          'compute.list-instances.newest-first-later-pages',
          wholeInstances(t, {}, { size, mostPages: 3 }),
        ],
      ] as const) {
        const verdicts = await list.against(
          async () => sights,
          (around, taken) => {
            // What came later is in none of the windows that were read before.
            const order = settledOrder(around).filter((one) => known.has(one));
            return windows(order, taken, Date.now())
              .filter(({ requirement }) => requirement === 'compute.list-instances.newest-first')
              .map(({ judgement }) => ({ requirement: id, judgement }));
          },
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'the instant of a creation is within both bounds, however it is written',
    {
      judges: [
        'compute.list-instances.date-begin-inclusive',
        'compute.list-instances.date-end-inclusive',
        'compute.list-instances.date-offset',
        'compute.list-instances.date-begin',
        'compute.list-instances.date-end',
      ],
    },
    async (t) => {
      const { ids, sights } = await dated(t);
      const middle = Math.floor(ids.length / 2);
      const boundary = await findBoundary(t.api, ids[middle] ?? '', sights);
      const further = missesOnWholeMinute(boundary)
        ? [...ids.slice(middle + 1), ...ids.slice(0, middle)].slice(0, 2)
        : [];
      const others = await Promise.all(further.map(async (id) => findBoundary(t.api, id, sights)));
      const { begin, end } = meetsInclusively(boundary, ...others);
      // A whole minute may be chance, too: finer times tell for certain.
      const isMissed = boundary.firstEnd - boundary.lastBegin === 1;
      const fine = isMissed ? await meetsWithin(t.api, ids[middle] ?? '', boundary) : undefined;
      for (const [id, judgement] of [
        ['compute.list-instances.date-begin-inclusive', begin],
        ['compute.list-instances.date-end-inclusive', end],
      ] as const) {
        if (fine?.told === 'met') t.judge(id, pass());
        else if (fine?.told === 'missed') {
          t.judge(id, missedInFineTimes(fine.around, fine.exchanges));
        } else if (judgement.seen > 0) t.judge(id, judgement);
        else
          t.inconclusive(
            id,
            'the instant was not met: the service may keep finer times than its filters',
          );
      }
      await judgePoint(t, ids[middle] ?? '', instantWithin(boundary, fine));
      await judgeGrasp(t, ids[middle] ?? '', boundary);
      await judgeOffsets(t, boundary);
    },
  );
}

/** Clocks of services and of testers are no further apart. */
const DAY_MS = 86_400_000;

/** The instant of a creation, as the filters take it, where one is known at which both bounds have the instance. */
function instantWithin(
  { lastBegin, firstEnd }: Boundary,
  fine: FineMeeting | undefined,
): string | undefined {
  if (lastBegin >= firstEnd) return instant(lastBegin);
  return fine?.told === 'met' ? fine.around[0] : undefined;
}

/** Where both bounds have one instant, so have a window that begins and ends there, and one that does either. */
async function judgePoint(t: ComputeContext, id: string, at: string | undefined): Promise<void> {
  if (at === undefined) return;
  const [begin, end] = [{ date_range_begin: at }, { date_range_end: at }];
  const windowsToThere = [
    { ...begin, ...end },
    { date_range_begin: instant(BEFORE_ALL), ...end },
    { ...begin, date_range_end: instant(Date.now() + DAY_MS) },
  ];
  for (const both of t.some(windowsToThere, 1, 1)) {
    const judged = async () => {
      const window = await readWindow(t.api, both);
      const alone = [await readWindow(t.api, begin), await readWindow(t.api, end)];
      return instantInBoth(id, window, alone, JSON.stringify(both));
    };
    t.judge('compute.list-instances.date-window', await eventually(t, 'twiceMore', judged));
  }
}

/** Further apart than a service that cuts dates to the second could bring two bounds. */
const APART_MS = 2_000;

/** A window that ends before another one begins has nothing of it: a bound that grasps too far shows here. */
async function judgeGrasp(t: ComputeContext, id: string, { lastBegin }: Boundary): Promise<void> {
  const begin = await sight(t.api, 'begin', lastBegin);
  const end = await sight(t.api, 'end', lastBegin - APART_MS);
  for (const { requirement, judgement } of windows([id], [begin, end], Date.now())) {
    if (requirement === 'compute.list-instances.newest-first') continue;
    if (begin.ids.includes(id)) {
      t.judge(requirement, judgement.violations.length > 0 ? judgement : pass());
    } else t.notExercised(requirement, 'the instance went away while it was dated');
  }
}

/** The same instant, half a day or half an hour off if the offset were not read, or its minutes. */
const offsets = [
  ['date_range_begin', ['+12:00', '-11:00', '+05:30', '+00:00']],
  ['date_range_end', ['-11:00', '+12:00', '-05:30']],
] as const;

/** The instants of one creation, as either bound meets it, written in other offsets: those that are read are another way to write it. */
async function judgeOffsets(t: ComputeContext, { lastBegin, firstEnd }: Boundary): Promise<void> {
  for (const [bound, written] of offsets) {
    const isBegin = bound === 'date_range_begin';
    const at = isBegin ? lastBegin : firstEnd;
    const zulu = wholeInstances(t, { [bound]: instant(at) }, newest);
    const id = `compute.list-instances.date-${isBegin ? 'begin' : 'end'}` as const;
    for (const offset of t.some(written, 1)) {
      const verdicts = await zulu.againstOne(
        async () => readWindow(t.api, { [bound]: atOffset(at, offset) }),
        ({ before, after }, other) => {
          const judgement = sameItems({ before: before.ids, after: after.ids }, other);
          const read = { requirement: id, judgement: other.readable ? judgement : notObserved };
          return [{ requirement: 'compute.list-instances.date-offset' as const, judgement }, read];
        },
      );
      tell(t, verdicts);
    }
  }
}
