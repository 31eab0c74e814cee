import { expect, test } from 'vitest';
import {
  errorEnvelopeSchema,
  instancePageSchema,
  isDateTime,
  isHeadlineSize,
  isInstant,
  mayBeHeadline,
  paginationSchema,
  retryAfterSchema,
} from './wire.ts';
import { isCodeInAnyCase } from './regions.ts';

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

test.each(['8 GPUs', '1 GPU', '2x H100', '0.5 GPU', 'GPU x 8', '8 × H100', 'H100 x8'])(
  '%s is a count and a unit',
  (size) => {
    expect(isHeadlineSize(size)).toBe(true);
  },
);

test.each(['~8 GPUs', '8 (GPU)', '8_gpu', '8/GPU', 'GPUs (8)', '½ node', '1/8 GPU', '1 000 GB'])(
  '%s is one, with signs between',
  (size) => {
    expect(isHeadlineSize(size)).toBe(true);
  },
);

test.each(['h100-sxm-2', 'GPU', '8', '', 'gpu_8'])('%s is none', (size) => {
  expect(isHeadlineSize(size)).toBe(false);
});

test.each(['A100 8 GPUs', 'NVIDIA A100 - 8 GPUs', 'GPU 8', '1×', 'eight GPUs', 'h100-sxm-2'])(
  '%s may be one',
  (size) => {
    expect(mayBeHeadline(size)).toBe(true);
  },
);

test.each(['large', '8', ''])('%s cannot be one', (size) => {
  expect(mayBeHeadline(size)).toBe(false);
});

test('a pagination object has text or null, and an integer', () => {
  expect(paginationSchema.safeParse({ next: null, size: 5, total: 9 }).success).toBe(true);
  expect(paginationSchema.safeParse({ next: '', size: 5 }).success).toBe(true);
  expect(paginationSchema.safeParse({ size: 5 }).success).toBe(false);
  expect(paginationSchema.safeParse({ next: null, size: 5.5 }).success).toBe(false);
});

test('a page has a list and a pagination object', () => {
  const pagination = { next: null, size: 5 };
  expect(instancePageSchema.safeParse({ data: [], pagination }).success).toBe(true);
  expect(instancePageSchema.safeParse({ data: [{}], pagination }).success).toBe(false);
  expect(instancePageSchema.safeParse({ data: [] }).success).toBe(false);
});

test('an envelope has three members, and may have more', () => {
  const error = { code: 'NOT_FOUND', message: '', request_id: 'r', hint: 1 };
  expect(errorEnvelopeSchema.safeParse({ error, at: 1 }).success).toBe(true);
  expect(errorEnvelopeSchema.safeParse({ error: { ...error, request_id: '' } }).success).toBe(
    false,
  );
});

test('a wait is digits alone', () => {
  expect(retryAfterSchema.safeParse('12').success).toBe(true);
  expect(retryAfterSchema.safeParse('1.5').success).toBe(false);
});

test.each([
  ['UAE', true],
  ['uae', true],
  ['Fr', true],
  ['uae-1', false],
  ['dubai-2', false],
  ['', false],
])('whether %j may be read as a region code', (text, expected) => {
  expect(isCodeInAnyCase(text)).toBe(expected);
});
