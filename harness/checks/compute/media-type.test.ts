import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { verdictsOf } from './verdicts.test.support.ts';

const page = { data: [], pagination: { next: null, size: 50 } };
const refusal = { error: { code: 'NOT_FOUND', message: '', request_id: 'r' } };

test.each([
  ['success', 200, page],
  ['error', 404, refusal],
])('the body of a %s is JSON and says so', (kind, status, body) => {
  const { seen, broken } = verdictsOf(exchangeOf({ status, body }));
  expect(seen).toEqual(expect.arrayContaining([`media.${kind}-json`, `media.${kind}-label`]));
  expect(broken).toEqual([]);
});

test.each([
  ['success', 200, page, 'text/plain'],
  ['success', 200, page, 'application/jsonp'],
  ['error', 404, refusal, 'application/problem+json'],
])('a %s labelled otherwise is wrong', (kind, status, body, label) => {
  const answer = exchangeOf({ status, body, headers: [['Content-Type', label]] });
  expect(verdictsOf(answer).broken).toEqual([`media.${kind}-label`]);
});

test('a body without a label is wrong', () => {
  expect(verdictsOf(exchangeOf({ body: page, headers: [] })).broken).toEqual([
    'media.success-label',
  ]);
});

test('a body that is not JSON is wrong', () => {
  expect(verdictsOf(exchangeOf({ path: '/regions', body: '{"a":' })).broken).toEqual([
    'media.success-json',
  ]);
});

test('a start may answer nothing, and what it answers is JSON', () => {
  const start = { path: '/instances/a/start', method: 'POST', status: 202 };
  const bindings = { start: 'POST /instances/{id}/start' };
  expect(verdictsOf(exchangeOf({ ...start, headers: [] }), { bindings }).seen).toEqual([]);
  expect(verdictsOf(exchangeOf({ ...start, body: [7] }), { bindings }).broken).toEqual([]);
  const words = exchangeOf({ ...start, body: 'ok' });
  expect(verdictsOf(words, { bindings }).broken).toEqual(['media.success-json']);
});

test('a stop without a body lacks the record, not the label', () => {
  const stop = { path: '/instances/a/stop', method: 'POST', status: 204, headers: [] };
  expect(verdictsOf(exchangeOf(stop)).broken).toEqual(['stop-instance.response-is-instance']);
  const path = `/instances/${String(actionRecord()['instance_id'])}/stop`;
  expect(verdictsOf(exchangeOf({ ...stop, path, body: actionRecord() })).broken).toEqual([
    'media.success-label',
  ]);
});
