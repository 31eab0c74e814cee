import { expect, test } from 'vitest';
import { listRecord } from './exchange.test.support.ts';
import { lastingChange, unchanged } from './record-relations.ts';

function judged(change: Readonly<Record<string, unknown>>, apartFrom: readonly string[] = []) {
  return unchanged({ before: listRecord(), after: listRecord(change), exchanges: [], apartFrom });
}

test.each([
  {},
  { current_cost: 9 },
  { ttl_remaining_hours: 3 },
  { hourly_rate: 9 },
  { note: 'new' },
])('%j is no change', (change) => {
  expect(judged(change)).toEqual({ seen: 1, violations: [] });
});

test.each([{ status: 'STOPPED' }, { name: 'other' }, { terminated_at: '2026-01-01T00:00:00Z' }])(
  '%j is a change',
  (change) => {
    expect(judged(change).violations).toHaveLength(1);
  },
);

test('one instant is the same date in any offset', () => {
  const [before, same, later] = [
    '2026-01-01T12:00:00Z',
    '2026-01-01t14:00:00.000+02:00',
    '2026-01-01T12:00:00+02:00',
  ].map((started_at) => listRecord({ started_at }));
  if (before === undefined || same === undefined || later === undefined) throw new Error('three');
  expect(unchanged({ before, after: same, exchanges: [] }).violations).toEqual([]);
  expect(unchanged({ before, after: later, exchanges: [] }).violations).toHaveLength(1);
});

test('a field may be left out of the comparison', () => {
  expect(judged({ status: 'STOPPED' }, ['status']).violations).toEqual([]);
});

test('a change counts when it lasts', () => {
  const [same, other] = [judged({}), judged({ name: 'other' })];
  expect(lastingChange(same, other)).toBe(same);
  expect(lastingChange(other, other)).toBe(other);
  expect(lastingChange(other, same).seen).toBe(0);
});
