import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { LAG_MS } from './settling.ts';
import { TerminatedLedger } from './terminated-ledger.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** One instance in these states, each read so many milliseconds after the one before. */
function judged(states: readonly unknown[], everyMs = LAG_MS + 100) {
  const ledger = new TerminatedLedger();
  return states.map((status, index) => {
    const exchange = { ...exchangeOf(), startedAt: index * everyMs };
    return outcomeOf(ledger.shown(exchange, [{ instance_id: 'i', status }, { instance_id: 'j' }]));
  });
}

test('an instance that was terminated is judged whenever it is shown again', () => {
  expect(judged(['RUNNING', 'TERMINATED', 'TERMINATED'])).toEqual(['vacuous', 'vacuous', 'held']);
});

test.each(['RUNNING', 'STOPPED', 'STARTING', 'ERRORED'])(
  'one that is %s later is wrong',
  (state) => {
    expect(judged(['TERMINATED', state]).at(-1)).toBe('violated');
  },
);

test('a copy may be behind, and show what was before', () => {
  expect(judged(['TERMINATED', 'RUNNING', 'TERMINATING', 'TERMINATED'], LAG_MS / 4)).toEqual(
    Array.from({ length: 4 }, () => 'vacuous'),
  );
  expect(judged(['TERMINATED', 'TERMINATING']).at(-1)).toBe('held');
});

test('what is no state, and what has no id, shows nothing', () => {
  expect(judged(['TERMINATED', 'GONE', undefined])).toEqual(['vacuous', 'vacuous', 'vacuous']);
  const ledger = new TerminatedLedger();
  expect(outcomeOf(ledger.shown(exchangeOf(), [{ status: 'TERMINATED' }]))).toBe('vacuous');
});

test('a later page may be one of a walk that shows everything as it was when it began', () => {
  const ledger = new TerminatedLedger();
  const shown = (status: string, query: string, startedAt: number) =>
    outcomeOf(
      ledger.shown({ ...exchangeOf({ query }), startedAt }, [{ instance_id: 'i', status }]),
    );
  expect(shown('TERMINATED', 'size=2', 0)).toBe('vacuous');
  expect(shown('RUNNING', 'size=2&cursor=abc', 10 * LAG_MS)).toBe('vacuous');
  expect(shown('RUNNING', 'size=2', 10 * LAG_MS)).toBe('violated');
});
