import { expect, test } from 'vitest';
import { judged, sampleExchange } from './sample.test.support.ts';
import { listedModels } from './universal.ts';

const list = (body: unknown, status = 200) =>
  sampleExchange({ method: 'GET', path: '/v1/models', status, body });

test('a list of models holds and tells its ids', () => {
  const exchange = list({ data: [{ id: 'b', extra: 1 }, { id: 'a' }], object: 'list' });
  const { held, broken } = judged(exchange);
  expect(broken).toEqual([]);
  expect(held).toContain('router.endpoints.models-list-data');
  expect(held).toContain('router.endpoints.models-list-item-id');
  expect(listedModels(exchange)).toEqual(['b', 'a']);
});

test('an empty list shows no items', () => {
  const { held } = judged(list({ data: [] }));
  expect(held).toContain('router.endpoints.models-list-data');
  expect(held).not.toContain('router.endpoints.models-list-item-id');
});

test.each([[[]], ['text'], [{ models: [] }], [{ data: {} }]])('%j is no list', (body) => {
  expect(judged(list(body)).broken).toEqual(['router.endpoints.models-list-data']);
  expect(listedModels(list(body))).toBeUndefined();
});

test.each([[{}], ['id'], [{ id: 1 }]])('an item %j has no id', (item) => {
  expect(judged(list({ data: [{ id: 'a' }, item] })).broken).toEqual([
    'router.endpoints.models-list-item-id',
  ]);
});

test('an error is no list', () => {
  expect(listedModels(list({ data: [{ id: 'a' }] }, 503))).toBeUndefined();
});
