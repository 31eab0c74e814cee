import { expect, test } from 'vitest';
import { isDateTime, isInstant } from './wire.ts';

test.each([
  '2026-11-21T12:00:00Z',
  '2026-11-21t12:00:00.123456789z',
  '2026-11-21T12:00:00+05:30',
  '2024-02-29T23:59:60Z',
  '2026-11-21T24:00:00Z',
])('%s names one instant', (text) => {
  expect(isDateTime(text)).toBe(true);
  expect(isInstant(text)).toBe(true);
});

test.each(['2026-11-21T12:00Z', '2026-11-21T12:00:00', '2026-11-21T12:00:00+0530'])(
  '%s is a date and time, but not a full instant',
  (text) => {
    expect(isDateTime(text)).toBe(true);
    expect(isInstant(text)).toBe(false);
  },
);

test.each([
  '2026-11-21',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-11-31T00:00:00Z',
  '2026-11-21T25:00:00Z',
  '2026-11-21T12:60:00Z',
  '1763726400',
  '',
  'Sat, 21 Nov 2026 12:00:00 GMT',
])('%s is none', (text) => {
  expect(isDateTime(text)).toBe(false);
  expect(isInstant(text)).toBe(false);
});
