import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { operationOf } from './operation.ts';

const bindings = { terminate: 'POST /instances/{id}:destroy', start: 'PUT /vms/{id}/power-on+now' };

test.each([
  ['GET', '/instances', { operation: 'list-instances', id: undefined }],
  ['GET', '/instances/a-b', { operation: 'get-instance', id: 'a-b' }],
  ['POST', '/instances/a-b/stop', { operation: 'stop-instance', id: 'a-b' }],
  ['POST', '/instances/a-b:destroy', { operation: 'terminate-instance', id: 'a-b' }],
  ['PUT', '/vms/a-b/power-on+now', { operation: 'start-instance', id: 'a-b' }],
  ['GET', '/regions', { operation: 'regions', id: undefined }],
  ['GET', '/presets', { operation: 'presets', id: undefined }],
  ['POST', '/instances', undefined],
  ['HEAD', '/instances', undefined],
  ['GET', '/instances/', undefined],
  ['GET', '/instances/a/b', undefined],
  ['GET', '/instancesX', undefined],
  ['DELETE', '/instances/a', undefined],
])('%s %s', (method, path, expected) => {
  expect(operationOf(exchangeOf({ method, path }), bindings)).toEqual(expected);
});

test('terminate and start are unknown without a binding', () => {
  expect(
    operationOf(exchangeOf({ method: 'PUT', path: '/vms/a/power' }), undefined),
  ).toBeUndefined();
});
