import { expect, test } from 'vitest';
import { notObserved } from '../judgement.ts';
import { sampleError, sampleExchange } from './sample.test.support.ts';
import { refusedOrReadAllTheSame } from './outcome.ts';

test.each([
  ['refused as invalid', sampleError(400, 'request_invalid')],
  ['read with replacement characters', sampleExchange({ status: 200 })],
  ['handed on to an engine that refuses it', sampleError(400, 'invalid_parameter', 'backend')],
])('a body that is no UTF-8 may be %s', (_, exchange) => {
  expect(refusedOrReadAllTheSame(exchange)).toEqual({ seen: 1, violations: [] });
});

test('one that nobody was there to serve shows nothing', () => {
  expect(refusedOrReadAllTheSame(sampleError(503, 'no_agents_available'))).toBe(notObserved);
});

test.each([
  ['fail inside the router', sampleError(500, 'backend_error')],
  ['get a code of its own', sampleError(400, 'invalid_encoding')],
])('a body that is no UTF-8 may not %s', (_, exchange) => {
  expect(refusedOrReadAllTheSame(exchange).violations).toHaveLength(1);
});
