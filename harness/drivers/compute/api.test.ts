import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { computeRepeat } from './api.ts';

const policy = computeRepeat({ start: 'PUT /instances/{id}/power' });

test.each([
  ['GET', '/instances', 500, [true, true, true, false]],
  ['GET', '/instances', 503, [true, true, true, false]],
  ['POST', '/instances/one/stop', 500, [true, false]],
  ['PUT', '/instances/one/power', 500, [true, false]],
  // The request may have made an instance.
  ['POST', '/instances', 500, [false]],
  // A gateway may have forwarded the change.
  ['POST', '/instances/one/stop', 503, [false]],
  ['POST', '/instances/one/stop', 409, [false]],
  ['GET', '/instances', 400, [false]],
] as const)('%s %s that is answered %d is sent again: %j', (method, path, status, expected) => {
  const again = expected.map((_, attempt) => policy(exchangeOf({ method, path, status }), attempt));
  expect(again.map((next) => next !== undefined && 'afterMs' in next)).toEqual(expected);
});
