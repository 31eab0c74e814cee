import { describe } from 'vitest';
import { testFigures, testRows, testVerdicts } from '../verdict.test.support.ts';
import { actionRecord, exchangeOf, listRecord, stopAnswer } from './exchange.test.support.ts';
import {
  costOfNewRun,
  reasonKept,
  runtimeKept,
  runtimeRests,
  restarted,
  startKept,
  stopsAreFree,
  stopsTakeNothing,
  terminationKept,
  totalsKept,
  totalsStay,
} from './runs.ts';

type Change = Readonly<Record<string, unknown>>;
const running = (change: Change) => ({ record: listRecord(change), exchange: exchangeOf() });

/** A time on one day; null for an absent one. */
const at = (time: string) => (time === '' ? null : `2026-11-20T${time}`);

testRows(
  'the date of a second start: before, now, milliseconds between and the state, if not RUNNING',
  (first, second, apartMs, status) =>
    restarted(
      actionRecord({ started_at: at(first) }),
      running({ started_at: at(second), status: status === '' ? 'RUNNING' : status }),
      Number(apartMs),
    ),
  {
    held: ['10:00:07Z,10:00:05Z,2000'],
    broken: [
      '10:00:07Z,10:00:07Z,2000',
      '10:00:07Z,11:00:07+01:00,2000',
      '10:00:00.120Z,10:00:00.120Z,50',
      '10:00:00Z,10:00:00Z,90000',
    ],
    unseen: [
      '10:00:00Z,10:00:00Z,30000',
      '10:00:07Z,10:00:07Z,900',
      '10:00:00.1Z,10:00:00.1Z,90',
      '10:00Z,10:00Z,90000',
      ',10:00:07Z,2000',
      '10:00:07Z,,2000',
      '10:00:07Z,10:00:07Z,2000,STARTING',
    ],
  },
);

testRows(
  'the date of the start after a stop',
  (before, now) => startKept(running({ started_at: at(before) }), running({ started_at: at(now) })),
  {
    held: ['10:00:00.120Z,11:00:00.120+01:00', '10:00:00.120Z,10:00:01Z'],
    broken: ['10:00:00.120Z,10:00:00.150Z', '10:00:01Z,10:00:05Z'],
    unseen: ['10:00:00Z,', '10:00Z,10:05Z'],
  },
);

const terminated = (change: Change) => running({ status: 'TERMINATED', ...change });

testRows(
  'the date of a termination',
  (first, second) =>
    terminationKept(
      terminated({ terminated_at: at(first) }),
      terminated({ terminated_at: at(second) }),
    ),
  {
    held: ['10:00:07.120Z,11:00:07.120+01:00', '10:00:07.120Z,10:00:07Z'],
    broken: ['10:00:07.120Z,10:00:09.320Z', '10:00:07Z,10:00:09Z'],
    unseen: ['10:00:07Z,'],
  },
);

testRows(
  'the reason of a termination',
  (first, second) =>
    reasonKept(
      terminated({ termination_reason: first === '' ? null : first }),
      terminated({ termination_reason: second === '' ? null : second }),
    ),
  {
    held: ['Asked for.,Asked for.'],
    broken: ['Asked for.,Asked for twice.'],
    unseen: ['Asked for.,', ',Asked for.'],
  },
);

const soon = {
  status: 'TERMINATING',
  terminated_at: at('10:00:07Z'),
  termination_reason: 'Asked.',
};
const afterwards = { terminated_at: at('10:00:09Z'), termination_reason: 'Gone.' };
testVerdicts([
  ['a date before the end', 'unseen', terminationKept(terminated(soon), terminated(afterwards))],
  ['a reason before the end', 'unseen', reasonKept(terminated(soon), terminated(afterwards))],
]);

testFigures(
  'total costs in answers to stops, a second each, at 4.2 an hour',
  (...costs) =>
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
    // The second is a cost that is booked once, and the third are costs that storage may cause.
    held: ['84,84,84', '84,88.2,88.2,88.2', '84,84.1,84.2,84.3'],
    broken: ['84,84.5,85,85.5', '84,85,85,86'],
    unseen: ['84,85', '-,-,-'],
  },
);

testFigures(
  'total costs in answers to stops that may take something off them',
  (...costs) =>
    stopsTakeNothing(
      costs.map((total_cost_incurred) =>
        stopAnswer({ total_cost_incurred, total_runtime_hours: 20 }),
      ),
    ),
  {
    // The second is a correction, and the third are two copies in turn.
    held: ['84,84,84', '84,83,83,83', '84,83,84,83', '84,85,86'],
    broken: ['84,83.99,83.98', '84,84,83,82'],
    unseen: ['84,83'],
  },
);

const second = (total: unknown, current: unknown, before: unknown = 84, status = 'RUNNING') =>
  costOfNewRun(
    running({ status: 'STOPPED', total_cost_incurred: before }),
    running({ total_cost_incurred: total, current_cost: current, status }),
  );
testFigures(
  'the total and the cost of a second run of what had cost 84 when it stopped',
  (total, current) => second(total, current),
  { held: ['84.5,0.5', '84.01,0.02', '90,0'], broken: ['84.5,8.4', '84,84'], unseen: ['84,much'] },
);
testVerdicts([
  ['a second run that is starting', 'unseen', second(84, 84, 84, 'STARTING')],
  ['a second run of what had no cost', 'unseen', second(84, 8.4, 'much')],
]);

describe('the totals after a start', () => {
  const START = '10:00:00Z';
  const totals = (hours: unknown, credits: unknown, status = 'STOPPED', started = START) =>
    running({
      total_runtime_hours: hours,
      total_cost_incurred: credits,
      status,
      started_at: at(started),
    });
  const again = (hours: unknown, credits: unknown) =>
    totals(hours, credits, 'RUNNING', '10:00:05Z');
  testFigures(
    'hours and credits before, and after',
    (hours, credits, laterHours, laterCredits) => {
      const stopped = { single: totals(hours, credits), listed: totals(hours, credits) };
      return totalsKept(stopped, again(laterHours, laterCredits));
    },
    {
      held: ['0.0004,0.0012,0.0005,0.0015', '20,84,19.9,83'],
      broken: ['0.0004,0.0012,0.0001,0.0015', '0.0004,0.0012,0.0005,0'],
      unseen: ['0,0,0,0', 'some,0,0,0'],
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

testFigures(
  'readings of a runtime, half a second apart',
  (...readings) =>
    runtimeRests(
      readings.map((hours, n) => ({
        hours: Number(hours),
        exchange: { ...exchangeOf(), startedAt: n * 500 },
      })),
    ),
  {
    held: ['2.00001,2.00001,2.00001', '2,2.1001,2.1001,2.1001'],
    broken: ['2,2.1,2.1,2.2'],
    unseen: ['2,2,2', '2.01,2.01,2.01', '2,2.1', ''],
  },
);

testFigures(
  'a runtime over a stop',
  (first, later) =>
    runtimeKept(
      { record: { total_runtime_hours: first }, exchange: exchangeOf() },
      exchangeOf({ method: 'POST', body: actionRecord({ total_runtime_hours: later }) }),
    ),
  { held: ['12,12', '1,0.6'], broken: ['12,0'], unseen: ['0.05,0', '12'] },
);
