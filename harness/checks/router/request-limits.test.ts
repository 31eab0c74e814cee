import { expect, test } from 'vitest';
import { judgedByLength, notRefusedForLength, notTooLarge, refusedAsTooLarge } from './outcome.ts';
import { imagesNotTooMany, notTooLong } from '../limits/budget.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';

const served = sampleExchange();
const tooLarge = sampleExchange({ status: 413, body: 'too large' });
const unknown = sampleError(404, 'model_not_found');
const invalid = sampleError(400, 'request_invalid');
const tooLong = sampleError(400, 'input_too_long');

test('a body over the limit is 413, whatever the body of the answer', () => {
  expect(refusedAsTooLarge(tooLarge).violations).toEqual([]);
  expect(refusedAsTooLarge(unknown).violations).toHaveLength(1);
  expect(refusedAsTooLarge(withoutResponse(tooLarge)).seen).toBe(0);
});

test('a body within the limit is anything but 413', () => {
  expect(notTooLarge(unknown).violations).toEqual([]);
  expect(notTooLarge(tooLarge).violations).toHaveLength(1);
  expect(notTooLarge(withoutResponse(served)).seen).toBe(0);
});

test('a permitted length is refused like a short id', () => {
  expect(notRefusedForLength(unknown, unknown).violations).toEqual([]);
  expect(notRefusedForLength(invalid, unknown).violations).toHaveLength(1);
  expect(notRefusedForLength(invalid, invalid).violations).toHaveLength(1);
  expect(notRefusedForLength(unknown, served).seen).toBe(0);
});

test('the bound lies between 256 and 257', () => {
  expect(judgedByLength(unknown, 256, unknown).violations).toEqual([]);
  expect(judgedByLength(invalid, 256, unknown).violations).toHaveLength(1);
  expect(judgedByLength(invalid, 257, unknown).violations).toEqual([]);
  expect(judgedByLength(unknown, 257, unknown).violations).toHaveLength(1);
});

test('an input within the caps is not too long', () => {
  expect(notTooLong(served).violations).toEqual([]);
  expect(notTooLong(tooLong).violations).toHaveLength(1);
  expect(notTooLong(withoutResponse(served)).seen).toBe(0);
});

test('a refusal shows nothing of the number of images where they may be over the token cap', () => {
  expect(imagesNotTooMany(tooLong, 2).violations).toHaveLength(1);
  expect(imagesNotTooMany(tooLong, 2, 4_000).violations).toHaveLength(1);
  expect(imagesNotTooMany(tooLong, 2, 100).seen).toBe(0);
  expect(imagesNotTooMany(served, 2, 100)).toMatchObject({ seen: 1, violations: [] });
});
