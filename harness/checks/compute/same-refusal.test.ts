import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { sameRefusal, shapeOf } from './scoping.ts';

function refusal(status: number, error: Readonly<Record<string, unknown>>) {
  return exchangeOf({ status, body: { error } });
}

const unknownInstanceId = refusal(404, { code: 'NOT_FOUND', message: 'no x', request_id: 'r1' });

test('the same status, code and shape is the same refusal', () => {
  const foreign = refusal(404, { request_id: 'r2', code: 'NOT_FOUND', message: 'no y' });
  expect(sameRefusal(foreign, unknownInstanceId)).toMatchObject({ seen: 1, violations: [] });
});

test.each([
  ['status', refusal(403, { code: 'NOT_FOUND', message: '', request_id: 'r2' })],
  ['code', refusal(404, { code: 'FORBIDDEN', message: '', request_id: 'r2' })],
  ['shape', refusal(404, { code: 'NOT_FOUND', message: '', request_id: 'r2', owner: 'x' })],
  ['body', exchangeOf({ status: 404, body: 'no' })],
])('another %s tells them apart', (_, foreign) => {
  expect(sameRefusal(foreign, unknownInstanceId).violations).toHaveLength(1);
});

test('a member that comes and goes tells nothing apart', () => {
  const traced = { code: 'NOT_FOUND', message: '', request_id: 'r2', trace: 'x' };
  const foreign = refusal(404, traced);
  expect(sameRefusal(foreign, unknownInstanceId, refusal(404, traced)).violations).toEqual([]);
  expect(sameRefusal(foreign, unknownInstanceId, unknownInstanceId).violations).toHaveLength(1);
});

test('a rate limit in between says nothing', () => {
  expect(sameRefusal(refusal(429, {}), unknownInstanceId).seen).toBe(0);
});

test('a shape has names and types and no values', () => {
  expect(shapeOf({ b: [1, 2, 'x'], a: null })).toBe(shapeOf({ a: null, b: ['y', 3] }));
  expect(shapeOf({ a: 1 })).not.toBe(shapeOf({ a: '1' }));
});
