import { describe, expect, test } from 'vitest';
import type { InstanceState } from '../../../schemas/compute/states.ts';
import { testCheck, testRows } from '../verdict.test.support.ts';
import {
  earlyConflicts,
  mayBeAutomatic,
  noEarlyConflict,
  repeatedTerminate,
  shownBetween,
  stateIn,
  stillIn,
} from './actions.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';

const look = (status: string) => ({ status, exchange: exchangeOf() });
const answer = (status: number, state = 'STOPPED') =>
  exchangeOf({ method: 'POST', status, body: actionRecord({ status: state }) });

testRows(
  'the state before, in the answer and after',
  (before, shown, after) => shownBetween(look(before), answer(202, shown), look(after)),
  {
    held: ['RUNNING,RUNNING,STOPPING', 'RUNNING,STOPPING,STOPPED', 'RUNNING,STOPPED,STOPPED'],
    broken: ['RUNNING,STARTING,STOPPED', 'RUNNING,STOPPED,STOPPING'],
    unseen: ['RUNNING,ASLEEP,STOPPED', ',STOPPING,STOPPED'],
  },
);

test('a refusal shows no state', () => {
  expect(stateIn(answer(409))).toBeUndefined();
});

testCheck(
  'a call that must not move a running instance',
  (status: string) => stillIn(look(status), ['RUNNING'], exchangeOf(), 'A refused stop'),
  { held: ['RUNNING'], broken: ['STOPPING'], unseen: ['ERRORED', '', 'running'] },
);

/** A check of the status of an answer, and of the state that is seen after it. */
const seen = (check: typeof repeatedTerminate) => (status: string, then: string) =>
  check(answer(Number(status)), then === '' ? undefined : look(then));

testRows('a repeated terminate', seen(repeatedTerminate), {
  held: ['202,TERMINATING', '500,TERMINATING', '202,TERMINATED', '500'],
  broken: ['404,TERMINATING', '404,TERMINATED', '400'],
  unseen: ['409,TERMINATING', '409,TERMINATED', '409,ERRORED', '409', '503,TERMINATING'],
});

testRows('an early conflict', seen(noEarlyConflict), {
  held: ['202,TERMINATING', '500,TERMINATED'],
  broken: ['409,TERMINATING', '409,RUNNING'],
  unseen: ['409,TERMINATED', '409', '502,RUNNING'],
});

describe('conflicts of repeated terminates', () => {
  /** The accepted terminate ends at 1 ms; reads and conflicts begin at the given milliseconds. */
  const at = (startedAt: number, status = 200) => ({ ...answer(status), startedAt });
  const states: Readonly<Record<string, InstanceState>> = {
    r: 'RUNNING',
    t: 'TERMINATING',
    d: 'TERMINATED',
    e: 'ERRORED',
  };
  /** The conflict, then reads as `5t`. */
  const judged = (row: string, conflicts = [at(Number.parseInt(row, 10), 409)]) =>
    earlyConflicts(
      at(0),
      conflicts,
      row
        .split(' ')
        .slice(1)
        .map((one) => ({
          state: states[one.slice(-1)] ?? 'STOPPED',
          exchange: at(Number.parseInt(one, 10)),
        })),
    );
  testCheck('at so many milliseconds, and the looks', (row: string) => judged(row), {
    broken: ['10 5t 400t', '10 5t 700t', '10 5r 4500t', '10 0r 5t 400t'],
    unseen: [
      '300 5t 400t',
      '300 5t 310d',
      // A replica that lags by half a second shows TERMINATING for that long after the end.
      '300 5r 480t 790t 810d',
      '300 100t 790t 810d',
      '10 5e 400e',
      '10',
    ],
  });
  testCheck('none', (row: string) => judged(row, []), { unseen: ['10 5t 400t'] });
});

test.for([
  ['RUNNING', 'STOPPING', { ttl_remaining_hours: 0.01 }, true],
  ['RUNNING', 'STOPPED', { ttl_remaining_hours: 0.01 }, true],
  ['STOPPING', 'STOPPED', { ttl_remaining_hours: 5 }, true],
  ['RUNNING', 'STOPPED', { ttl_remaining_hours: 5 }, false],
  ['RUNNING', 'STOPPED', { ttl_remaining_hours: 0 }, false],
  ['RUNNING', 'TERMINATING', { ttl_remaining_hours: 0.01 }, false],
  ['STOPPED', 'RUNNING', { ttl_remaining_hours: 0.01 }, false],
  // An instance that no list shows has no known hours; one that a list showed stopping was stopping before.
  ['RUNNING', 'STOPPED', undefined, false],
  ['RUNNING', 'STOPPED', { status: 'STOPPING', ttl_remaining_hours: 0 }, true],
  ['RUNNING', 'STOPPED', { status: 'STOPPED', ttl_remaining_hours: 0 }, true],
] as const)('from %s to %s with %j nobody need have acted: %j', ([before, after, listed, may]) => {
  expect(mayBeAutomatic(before, after, listed && listRecord(listed))).toBe(may);
});
