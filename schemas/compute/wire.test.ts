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
  ['2026-11-21T12:00:00Z | 2026-11-21t12:00:00.123456789z | 2026-11-21T12:00:00+05:30', true, true],
  ['2024-02-29T23:59:60Z | 2026-11-21T24:00:00Z', true, true],
  ['2026-11-21T12:00Z | 2026-11-21T12:00:00 | 2026-11-21T12:00:00+0530', true, false],
  ['2026-11-21 | 2025-02-29T00:00:00Z | 2026-13-01T00:00:00Z | 2026-00-10T00:00:00Z', false, false],
  ['2026-11-31T00:00:00Z | 2026-11-21T25:00:00Z | 2026-11-21T12:60:00Z', false, false],
  ['1763726400 |  | Sat, 21 Nov 2026 12:00:00 GMT', false, false],
])('each of %s is a date and time: %s, names one instant: %s', (texts, isDate, isOne) => {
  const said = texts.split(' | ').map((text) => [isDateTime(text), isInstant(text)]);
  expect(said).toEqual(said.map(() => [isDate, isOne]));
});

test.each([
  [isHeadlineSize, true, '8 GPUs | 1 GPU | 2x H100 | 0.5 GPU | GPU x 8 | 8 × H100 | H100 x8'],
  // With signs between.
  [
    isHeadlineSize,
    true,
    '~8 GPUs | 8 (GPU) | 8_gpu | 8/GPU | GPUs (8) | ½ node | 1/8 GPU | 1 000 GB',
  ],
  [isHeadlineSize, false, 'h100-sxm-2 | GPU | 8 |  | gpu_8'],
  [
    mayBeHeadline,
    true,
    'A100 8 GPUs | NVIDIA A100 - 8 GPUs | GPU 8 | 1× | eight GPUs | h100-sxm-2',
  ],
  [mayBeHeadline, false, 'large | 8 | '],
  [isCodeInAnyCase, true, 'UAE | uae | Fr'],
  [isCodeInAnyCase, false, 'uae-1 | dubai-2 | '],
])('%o is %s of each of %s', (says, expected, texts) => {
  expect(texts.split(' | ').filter((text) => says(text) !== expected)).toEqual([]);
});

const pagination = { next: null, size: 5 };
const error = { code: 'NOT_FOUND', message: '', request_id: 'r', hint: 1 };

test.each([
  ['text or null, and an integer', paginationSchema, { ...pagination, total: 9 }, true],
  ['text or null, and an integer', paginationSchema, { next: '', size: 5 }, true],
  ['no cursor', paginationSchema, { size: 5 }, false],
  ['a fraction', paginationSchema, { next: null, size: 5.5 }, false],
  ['a list and a pagination object', instancePageSchema, { data: [], pagination }, true],
  ['a page with something else', instancePageSchema, { data: [{}], pagination }, false],
  ['a page without pagination', instancePageSchema, { data: [] }, false],
  ['an envelope with more', errorEnvelopeSchema, { error, at: 1 }, true],
  ['an empty request id', errorEnvelopeSchema, { error: { ...error, request_id: '' } }, false],
  ['a wait of digits alone', retryAfterSchema, '12', true],
  ['a wait of a fraction', retryAfterSchema, '1.5', false],
])('%s', (_, schema, value, accepted) => {
  expect(schema.safeParse(value).success).toBe(accepted);
});
