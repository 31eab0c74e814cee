import { expect, test } from 'vitest';
import { sampleOutcome } from '../sample.test.support.ts';
import { evenSample, mergeTraffic, provocationsOf } from './evidence.ts';

const row = { operation: 'GET /a', status: 200, code: '', count: 2, latencies: [9, 1] };

test('rows of the same kind are summed, others kept apart', () => {
  const other = { ...row, status: 400, code: 'VALIDATION_ERROR' };
  expect(mergeTraffic([other, row, { ...row, count: 3, latencies: [5] }])).toEqual([
    { ...row, count: 5, latencies: [1, 5, 9] },
    { ...other, latencies: [1, 9] },
  ]);
});

test('latencies are thinned evenly, the fastest and the slowest kept', () => {
  const sorted = Array.from({ length: 1_001 }, (_, index) => index);
  expect(evenSample(sorted, 5)).toEqual([0, 250, 500, 750, 1_000]);
  expect(evenSample([1, 2], 5)).toEqual([1, 2]);
});

test('answers are counted by the section that provoked them', () => {
  const outcomes = [
    sampleOutcome({ section: 'codes', traffic: [row] }),
    sampleOutcome({ section: 'codes', traffic: [{ ...row, operation: 'GET /b' }] }),
    sampleOutcome({ section: 'auth', traffic: [row] }),
  ];
  expect(provocationsOf(outcomes)).toEqual([
    { section: 'auth', status: 200, code: '', count: 2 },
    { section: 'codes', status: 200, code: '', count: 4 },
  ]);
});
