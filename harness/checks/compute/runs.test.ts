import { describe } from 'vitest';
import { testCheck, testVerdicts } from '../verdict.test.support.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  costOfNewRun,
  reasonKept,
  runtimeKept,
  runtimeRests,
  restarted,
  startKept,
  stopsAreFree,
  terminationKept,
  totalsKept,
  totalsStay,
} from './runs.ts';

type Change = Readonly<Record<string, unknown>>;
const running = (change: Change) => ({ record: listRecord(change), exchange: exchangeOf() });

/** A time on one day; null for an absent one. */
const at = (time: string | null) => time && `2026-11-20T${time}`;

describe('the date of a second start', () => {
  const anew = (first: string | null, second: string | null, apartMs: number, status = 'RUNNING') =>
    restarted(
      actionRecord({ started_at: at(first) }),
      running({ started_at: at(second), status }),
      apartMs,
    );
  testCheck(
    'and milliseconds between',
    (row: readonly [string | null, string | null, number]) => anew(...row),
    {
      held: [['10:00:07Z', '10:00:05Z', 2_000]],
      broken: [
        ['10:00:07Z', '10:00:07Z', 2_000],
        ['10:00:07Z', '11:00:07+01:00', 2_000],
        ['10:00:00.120Z', '10:00:00.120Z', 50],
        ['10:00:00Z', '10:00:00Z', 90_000],
      ],
      unseen: [
        ['10:00:00Z', '10:00:00Z', 30_000],
        ['10:00:07Z', '10:00:07Z', 900],
        ['10:00:00.1Z', '10:00:00.1Z', 90],
        ['10:00Z', '10:00Z', 90_000],
        [null, '10:00:07Z', 2_000],
        ['10:00:07Z', null, 2_000],
      ],
    },
  );
  testVerdicts([['starting', 'unseen', anew('10:00:07Z', '10:00:07Z', 2_000, 'STARTING')]]);
});

/** Two times; `-` for an absent one. */
const dates = (row: string) => row.split(' ').map((time) => (time === '-' ? null : at(time)));

testCheck(
  'the date of the start after a stop',
  (row: string) => {
    const [before, now] = dates(row).map((started_at) => running({ started_at }));
    return startKept(before ?? running({}), now ?? running({}));
  },
  {
    held: ['10:00:00.120Z 11:00:00.120+01:00', '10:00:00.120Z 10:00:01Z'],
    broken: ['10:00:00.120Z 10:00:00.150Z', '10:00:01Z 10:00:05Z'],
    unseen: ['10:00:00Z -', '10:00Z 10:05Z'],
  },
);

const terminated = (row: string, status = 'TERMINATED') => {
  const [first, second] = dates(row);
  return terminationKept(
    running({ terminated_at: first, status }),
    running({ terminated_at: second, status: 'TERMINATED' }),
  );
};

testCheck('the date of a termination', (row: string) => terminated(row), {
  held: ['10:00:07.120Z 11:00:07.120+01:00', '10:00:07.120Z 10:00:07Z'],
  broken: ['10:00:07.120Z 10:00:09.320Z', '10:00:07Z 10:00:09Z'],
  unseen: ['10:00:07Z -'],
});

testCheck(
  'the date of a termination before its end',
  (row: string) => terminated(row, 'TERMINATING'),
  {
    unseen: ['10:00:07Z 10:00:09Z'],
  },
);

testCheck(
  'the reason of a termination, and the state in which it was told first',
  ([first, second, status = 'TERMINATED']: readonly [string | null, string | null, string?]) =>
    reasonKept(
      running({ termination_reason: first, status }),
      running({ termination_reason: second, status: 'TERMINATED' }),
    ),
  {
    held: [['Asked for.', 'Asked for.']],
    broken: [['Asked for.', 'Asked for twice.']],
    unseen: [
      ['Asked for.', null],
      [null, 'Asked for.'],
      ['Asked for.', 'Gone.', 'TERMINATING'],
    ],
  },
);

testCheck(
  'total costs in answers to stops, a second each, at 4.2 an hour',
  (costs: readonly (number | null)[]) =>
    stopsAreFree(
      costs.map((total_cost_incurred, index) => ({
        ...exchangeOf({
          method: 'POST',
          path: '/instances/i/stop',
          body: actionRecord({ total_cost_incurred, hourly_rate: 4.2 }),
        }),
        startedAt: index * 1_000,
      })),
    ),
  {
    held: [
      [84, 84, 84],
      // A cost that is booked once, and costs that storage may cause.
      [84, 88.2, 88.2, 88.2],
      [84, 84.1, 84.2, 84.3],
    ],
    broken: [
      [84, 84.5, 85, 85.5],
      [84, 85, 85, 86],
    ],
    unseen: [
      [84, 85],
      [null, null, null],
    ],
  },
);

testCheck(
  'the cost of a second run, and what had cost 84 when it stopped',
  ([total, current, before = 84, status = 'RUNNING']: readonly [
    number,
    unknown,
    unknown?,
    string?,
  ]) =>
    costOfNewRun(
      running({ status: 'STOPPED', total_cost_incurred: before }),
      running({ total_cost_incurred: total, current_cost: current, status }),
    ),
  {
    held: [
      [84.5, 0.5],
      [84.01, 0.02],
      [90, 0],
    ],
    broken: [
      [84.5, 8.4],
      [84, 84],
    ],
    unseen: [
      [84, 'much'],
      [84, 84, 84, 'STARTING'],
      [84, 8.4, 'much'],
    ],
  },
);

describe('the totals after a start', () => {
  const START = '10:00:00Z';
  const totals = (hours: unknown, credits: unknown, status = 'STOPPED', started = START) =>
    running({
      total_runtime_hours: hours,
      total_cost_incurred: credits,
      status,
      started_at: at(started),
    });
  const again = (hours: number, credits: number) => totals(hours, credits, 'RUNNING', '10:00:05Z');
  type Figures = readonly [unknown, unknown, number, number];
  testCheck(
    'hours and credits before, and after',
    ([hours, credits, laterHours, laterCredits]: Figures) => {
      const stopped = { single: totals(hours, credits), listed: totals(hours, credits) };
      return totalsKept(stopped, again(laterHours, laterCredits));
    },
    {
      held: [
        [0.0004, 0.0012, 0.0005, 0.0015],
        [20, 84, 19.9, 83],
      ],
      broken: [
        [0.0004, 0.0012, 0.0001, 0.0015],
        [0.0004, 0.0012, 0.0005, 0],
      ],
      unseen: [
        [0, 0, 0, 0],
        ['some', 0, 0, 0],
      ],
    },
  );

  const listed = totals(0.4, 2);
  const stopping = totals(0.4, 2, 'STOPPING');
  const same = totals(0, 0, 'RUNNING');
  testVerdicts([
    ['had not come to rest', 'unseen', totalsKept({ single: totals(0.5, 3), listed }, again(0, 0))],
    ['had not stopped', 'unseen', totalsKept({ single: stopping, listed }, again(0, 0))],
    ['of the start before', 'unseen', totalsKept({ single: listed, listed }, same)],
  ]);

  const ended = (credits: number, status = 'TERMINATED') => totals(0.4, credits, status);
  testVerdicts([
    ['stay at the end', 'held', totalsStay({ single: listed, listed }, ended(2))],
    ['are gone at the end', 'broken', totalsStay({ single: listed, listed }, ended(0))],
    ['on the way to it', 'unseen', totalsStay({ single: listed, listed }, ended(0, 'TERMINATING'))],
  ]);
});

testCheck(
  'readings of a runtime, half a second apart',
  (hours: readonly number[]) =>
    runtimeRests(
      hours.map((one, n) => ({ hours: one, exchange: { ...exchangeOf(), startedAt: n * 500 } })),
    ),
  {
    held: [
      [2.00001, 2.00001, 2.00001],
      [2, 2.1001, 2.1001, 2.1001],
    ],
    broken: [[2, 2.1, 2.1, 2.2]],
    unseen: [[2, 2, 2], [2.01, 2.01, 2.01], [2, 2.1], []],
  },
);

testCheck(
  'a runtime over a stop',
  ([first, later]: readonly [number, number?]) =>
    runtimeKept(
      { record: { total_runtime_hours: first }, exchange: exchangeOf() },
      exchangeOf({ method: 'POST', body: actionRecord({ total_runtime_hours: later }) }),
    ),
  {
    held: [
      [12, 12],
      [1, 0.6],
    ],
    broken: [[12, 0]],
    unseen: [[0.05, 0], [12]],
  },
);
