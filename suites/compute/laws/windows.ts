/** Date windows, and the default order, newest first, which only windows can verify. */

import {
  compare,
  compareOne,
  type Define,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import { instances } from '../collections.ts';
import {
  type WindowObservation,
  bothBounds,
  windows,
} from '../../../harness/checks/collection/window.ts';
import { settledOrder } from '../../../harness/checks/collection/bracket.ts';
import { LATER_PAGES, PAGES_TO_THE_END } from '../../../harness/checks/collection/chosen-values.ts';
import { answeredWith } from '../../../harness/checks/compute/answers.ts';
import { notObserved } from '../../../harness/checks/judgement.ts';
import { isSuccess } from '../../../harness/checks/compute/records.ts';
import { notAnswered, sameInParts, findsNone } from '../../../harness/checks/collection/filter.ts';
import { instants } from '../../../harness/generate/lists.ts';
import { chronology, instant, observeWindow } from '../../../harness/drivers/collection/dating.ts';
import { readInstances, readWindow } from '../../../harness/drivers/collection/reading.ts';
import {
  type WholeList,
  requireItems,
  judgeAround,
} from '../../../harness/drivers/collection/whole-list.ts';
import { SETTLED, conclusiveSpan } from '../../../harness/drivers/collection/instances.ts';
import { type ComputeContext, idsIn } from '../../../harness/drivers/compute/session.ts';
import { experiment } from '../../../harness/drivers/compute/standing.ts';

const of = idsIn('list-instances');

/** Only the newest page: it is enough to judge, and costs the same for an account of any size. */
const newest = { mostPages: 1 } as const;

/** The most windows that date the instances of a page, in a thorough run and in other runs. */
const MAX_WINDOWS = 120;
const USUAL_WINDOWS = 32;

/** The newest instances, and windows that distinguish their creation times. */
export const dated = experiment(async (t) => {
  const page = await requireItems(wholeOf(t, instances, {}, newest), 1, 'instances');
  const ids = page.ids.slice(0, SETTLED);
  return {
    ids,
    observations: await chronology(t.api, ids, t.thorough ? MAX_WINDOWS : USUAL_WINDOWS),
  };
});

const HOLDS = 'compute.pagination.filter-on-later-pages' as const;

/** The end of a year in whole seconds and in milliseconds, as most clients write dates. */
function farBounds(bound: string, year: string): readonly Readonly<Record<string, string>>[] {
  return ['', '.999'].map((fraction) => ({ [bound]: `${year}-12-31T23:59:59${fraction}Z` }));
}

/** Windows without instances: the last second of a year, with the greatest value of each date part, a leap day, and zero. */
const emptyWindows = [
  ['date-begin-future', farBounds('date_range_begin', '2100')],
  [
    'date-end-past',
    [
      ...farBounds('date_range_end', '1990'),
      { date_range_end: '1988-02-29T12:00:00Z' },
      { date_range_end: '1970-01-01T00:00:00Z' },
    ],
  ],
] as const;

/** Judges two bounds, each alone and both together; a list that keeps changing is inconclusive. */
async function judgeWindows(
  t: Pick<ComputeContext, 'api' | 'judge'>,
  whole: WholeList,
  far: readonly WindowObservation[],
  [early, late]: readonly [number, number],
): Promise<void> {
  await compareOne(
    t,
    whole,
    async () => ({
      begin: await observeWindow(t.api, 'begin', early),
      end: await observeWindow(t.api, 'end', late),
      // If both bounds are the same instant, this would repeat the reads above.
      rest: early === late ? [] : [await observeWindow(t.api, 'end', early)],
      // This begin is later than the end of `rest`, so no instance can be in both.
      last: early === late ? [] : [await observeWindow(t.api, 'begin', late)],
      both: await readWindow(t.api, {
        date_range_begin: instant(early),
        date_range_end: instant(late),
      }),
    }),
    (around, { begin, end, rest, last, both }) => [
      ...windows(settledOrder(around), [begin, end, ...rest, ...last, ...far], Date.now()),
      {
        requirement: of('date-window'),
        judgement:
          // If each bound is accepted alone, both together must be, even if they are the same instant.
          [begin, end].every(({ exchanges }) => exchanges.every(isSuccess))
            ? (notAnswered(both, `of both bounds, ${instant(early)} and ${instant(late)},`) ??
              bothBounds(settledOrder(around), begin, end, both))
            : notObserved,
      },
    ],
  );
}

/** Bounds of clients that mean "ever": before the zero of common clocks, and the last day that has four digits of year. */
const EVER = { begin: Date.UTC(1960, 0, 1), end: Date.UTC(9999, 11, 31) } as const;

/** Judges windows that hold everything or nothing, which reveal bounds that are ignored or exclude too much. */
async function judgeWideWindows(
  t: ComputeContext,
  whole: WholeList,
  far: readonly WindowObservation[],
): Promise<void> {
  await compareOne(
    t,
    whole,
    // The wide windows are read here, since earlier reads cannot show instances created later.
    async () => [
      ...far,
      await observeWindow(t.api, 'begin', EVER.begin),
      await observeWindow(t.api, 'end', EVER.end),
    ],
    (around, observations) => windows(settledOrder(around), observations, Date.now()),
  );
}

/** Compares windows with each other and with the default order, on one page and on several; also empty windows. */
export function windowed(test: Define): void {
  test(
    'windows are the two ends of the default list, and both bounds their overlap',
    { judges: [of('date-begin'), of('date-end'), of('date-window'), of('newest-first')] },
    async (t) => {
      const whole = wholeOf(t, instances, {}, newest);
      await requireItems(whole, 2, 'instances');
      // Far outside the data, so that an ignored bound is certain to show.
      const far = [
        await observeWindow(t.api, 'begin', Date.UTC(2100, 0, 1)),
        await observeWindow(t.api, 'end', Date.UTC(1990, 0, 1)),
      ];
      await judgeWideWindows(t, whole, far);
      const { from, to } = await conclusiveSpan(t);
      const middle = Math.floor((from + to) / 2);
      await t.property(
        'date windows',
        instants(from, to),
        async (bounds, judge) => judgeWindows({ api: t.api, judge }, whole, far, bounds),
        {
          weight: 0.1,
          examples: [
            [middle, middle],
            [from, middle],
            [middle, to],
          ],
        },
      );
    },
  );

  test(
    'newest first holds from instance to instance, and from page to page',
    { judges: [of('newest-first'), of('newest-first-later-pages')] },
    async (t) => {
      await requireItems(wholeOf(t, instances, {}, newest), 3, 'instances');
      const { ids, observations } = await dated(t);
      const known = new Set(ids);
      const size = Math.ceil(ids.length / 3);
      // The list is read after the windows: an instance that vanished between two windows would make them contradict.
      for (const [id, list] of [
        [of('newest-first'), wholeOf(t, instances, {}, newest)],
        [
          of('newest-first-later-pages'),
          // Twice as many pages as needed: only the first half of an unfinished walk is judged.
          wholeOf(t, instances, {}, { size, mostPages: 6 }),
        ],
      ] as const) {
        await compare(
          t,
          list,
          async () => observations,
          (around, taken) => {
            // Earlier windows cannot show instances created later.
            const order = settledOrder(around).filter((one) => known.has(one));
            return windows(order, taken, Date.now())
              .filter(({ requirement }) => requirement === of('newest-first'))
              .map(({ judgement }) => ({ requirement: id, judgement }));
          },
        );
      }
    },
  );

  test('a date window holds on the second page and after', { judges: [HOLDS] }, async (t) => {
    await requireItems(wholeOf(t, instances, {}, newest), 4, 'instances');
    const { from, to } = await conclusiveSpan(t);
    const at = (share: number) => instant(Math.floor(from + share * (to - from)));
    const middle = at(1 / 2);
    // Later pages are older and so within the end date anyway; only another order reveals a dropped end.
    for (const window of [
      { date_range_begin: middle },
      { date_range_begin: middle, status: 'stopped' },
      { date_range_begin: middle, free_text_search: 'US' },
      { date_range_end: middle, sort_field: 'NAME' },
      { date_range_begin: at(1 / 4), date_range_end: at(3 / 4), sort_field: 'NAME' },
    ]) {
      const found = wholeOf(t, instances, window, newest);
      const { ids } = await found.known();
      if (ids.length < 2) continue;
      const size = Math.min(199, Math.ceil(ids.length / LATER_PAGES));
      await judgeAround(
        t,
        found,
        HOLDS,
        async () =>
          readInstances(t.api, window, { size, mostPages: LATER_PAGES + PAGES_TO_THE_END }),
        (around, walked) => sameInParts(around, walked, JSON.stringify(window)),
      );
    }
  });

  for (const [slug, queries] of emptyWindows) {
    const id = of(slug);
    test(`a window without any creation is empty (${slug})`, { judges: [id] }, async (t) => {
      const known = await requireItems(wholeOf(t, instances, {}, newest), 1, 'instances');
      for (const query of queries) {
        const page = await readWindow(t.api, query);
        t.judge(id, findsNone(known, page, JSON.stringify(query)));
        for (const answer of page.exchanges) {
          t.judge(id, answeredWith(answer, 200, `The window ${JSON.stringify(query)}`));
        }
      }
    });
  }
}
