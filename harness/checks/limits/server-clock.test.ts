import { expect, test } from 'vitest';
import { sampleExchange } from '../router/sample.test.support.ts';
import { clockAheadMs, isSameBudgetDay, untilMidnightMs } from './server-clock.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;

/** An answer that came at noon by our clock. */
function answered(date?: string) {
  const headers = date === undefined ? [] : [['Date', date] as const];
  return { ...sampleExchange({ headers, startedAt: NOON }), headMs: 500 };
}

test('the clock of an answer is that of its Date', () => {
  expect(clockAheadMs(answered('Thu, 01 Jan 2026 12:00:00 GMT'))).toBe(0);
  expect(clockAheadMs(answered('Thu, 01 Jan 2026 13:00:00 GMT'))).toBe(HOUR);
  expect(clockAheadMs(answered('noon'))).toBeUndefined();
  expect(clockAheadMs(answered())).toBeUndefined();
});

test('a UTC day has an end', () => {
  expect(untilMidnightMs(NOON)).toBe(12 * HOUR);
  expect(untilMidnightMs(NOON + 12 * HOUR - 1)).toBe(1);
});

test('a budget is that of the day which the answers tell, and near midnight of none', () => {
  const late = answered('Thu, 01 Jan 2026 23:30:00 GMT');
  expect(isSameBudgetDay(NOON, NOON + HOUR, answered())).toBe(true);
  expect(isSameBudgetDay(NOON, NOON + HOUR, late)).toBe(false);
  expect(isSameBudgetDay(NOON, NOON + HOUR / 4, late)).toBe(true);
  expect(isSameBudgetDay(NOON + 12 * HOUR - 30_000, NOON + 12 * HOUR - 20_000, answered())).toBe(
    false,
  );
});
