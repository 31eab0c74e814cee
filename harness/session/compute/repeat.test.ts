import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { computeRepeat } from './repeat.ts';

const answer = (method: string, status: number) => exchangeOf({ method, status });

test.each([
  ['GET', 500, [true, true, false]],
  ['GET', 503, [true, true, false]],
  ['POST', 500, [true, false]],
  ['PUT', 500, [true, false]],
  // What is in front may have handed a change on.
  ['POST', 503, [false]],
  ['POST', 409, [false]],
  ['GET', 400, [false]],
] as const)('%s that is answered with %d is sent again: %j', (method, status, expected) => {
  const again = expected.map((_, attempt) => computeRepeat(answer(method, status), attempt));
  expect(again.map((next) => next !== undefined && 'afterMs' in next)).toEqual(expected);
});
