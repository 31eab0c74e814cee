import { expect, test } from 'vitest';
import { familyOf, isAdminPath, isKnownClientRoute, routeOf } from './route.ts';
import { sampleExchange } from './sample.test.support.ts';

test.each([
  ['GET', '/v1/models', 'models', 'models'],
  ['GET', '/v1/models/org%2Fname', 'model', 'models'],
  ['POST', '/v1/chat/completions', 'chatCompletions', 'native'],
  ['POST', '/v1/messages', 'messages', 'proxy'],
  ['POST', '/v1/messages/count_tokens', 'countTokens', 'proxy'],
  ['POST', '/v1/embeddings', 'embeddings', 'proxy'],
  ['POST', '/v1/rerank', 'rerank', 'proxy'],
  ['GET', '/admin/health', 'adminHealth', 'admin'],
  ['GET', '/admin/routing-table', 'adminRoutingTable', 'admin'],
  ['POST', '/v1/responses', 'responses', undefined],
])('%s %s is %s', (method, path, route, family) => {
  const exchange = sampleExchange({ method, path });
  expect(routeOf(exchange)).toBe(route);
  expect(familyOf(exchange)).toBe(family);
  expect(isKnownClientRoute(exchange)).toBe(family !== undefined && family !== 'admin');
});

test.each([
  ['POST', '/v1/models'],
  ['GET', '/v1/models/'],
  ['GET', '/v1/models/..'],
  ['GET', '/v1/models/org/name'],
  ['POST', '/v1/chat/completions/'],
  ['GET', '/V1/models'],
  ['GET', '/admin/other'],
])('%s %s is none', (method, path) => {
  const exchange = sampleExchange({ method, path });
  expect(routeOf(exchange)).toBeUndefined();
  expect(isKnownClientRoute(exchange)).toBe(false);
});

test('administrator paths are told by their first part', () => {
  expect(isAdminPath(sampleExchange({ path: '/admin/other' }))).toBe(true);
  expect(isAdminPath(sampleExchange({ path: '/administrator' }))).toBe(false);
});
