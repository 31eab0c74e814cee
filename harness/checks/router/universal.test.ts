import { expect, test } from 'vitest';
import { familyOf, isAdminPath, isKnownClientRoute, knowledgeOf, routeOf } from './route.ts';
import {
  judged,
  sampleError,
  sampleExchange,
  testUniversal,
  withoutResponse,
} from './sample.test.support.ts';
import { listedModels, routerUniversal } from './universal.ts';

const DATA = 'endpoints.models-list-data';
const ITEM = 'endpoints.models-list-item-id';
const list = (body: unknown, status = 200) =>
  sampleExchange({ method: 'GET', path: '/v1/models', status, body });
const two = list({ data: [{ id: 'b', extra: 1 }, { id: 'a' }], object: 'list' });

testUniversal([
  ['a list of models', two, [], [DATA, ITEM]],
  ...[[], 'text', { models: [] }, { data: {} }].map(
    (body) => [`${JSON.stringify(body)} is no list`, list(body), [DATA]] as const,
  ),
  ...[{}, 'id', { id: 1 }].map(
    (item) =>
      [`${JSON.stringify(item)} has no id`, list({ data: [{ id: 'a' }, item] }), [ITEM]] as const,
  ),
]);

test('lists tell their ids, where they are whole', () => {
  expect(listedModels(two)).toEqual(['b', 'a']);
  expect(listedModels(list({ data: {} }))).toBeUndefined();
  expect(listedModels(list({ data: [{ id: 'a' }] }, 503))).toBeUndefined();
});

test('an empty list shows no items, and no response nothing', () => {
  expect(judged(list({ data: [] })).held).not.toContain(`router.${ITEM}`);
  expect(judged(withoutResponse(sampleExchange()))).toEqual({ held: [], broken: [] });
});

const target = {
  keys: {
    client: 'client',
    requestsPerMinute: { key: 'requestsPerMinute', limit: 60 },
    tokensPerDay: [
      { key: 'tokensPerDay[0]', limit: 1 },
      { key: 'tokensPerDay[1]', limit: 1 },
    ],
    serverless: { key: 'serverless', model: 'shared' },
  },
  models: { chat: 'chat', embedding: 'shared' },
};

test('every key but the serverless one is plain, and no model that it uses', () => {
  expect(knowledgeOf(target)).toEqual({
    plainCredentials: ['client', 'requestsPerMinute', 'tokensPerDay[0]', 'tokensPerDay[1]'],
    plainModels: ['chat'],
  });
});

test('a target decides what is judged', () => {
  const asked = { credential: 'client', request: { model: 'chat' } };
  const limited = sampleError(429, 'rate_limit_exceeded', 'router', asked);
  const requirements = [...routerUniversal({ target })(limited)].map((one) => one.requirement);
  expect(requirements).toContain('router.response-headers.no-retry-after-on-plain-rate-limit');
});

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
