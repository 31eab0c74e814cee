import { expect, test } from 'vitest';
import { judged, sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import { listedModels, routerUniversal } from './universal.ts';
import { knowledgeOf } from './route.ts';

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

test('an exchange without a response shows nothing', () => {
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
  const knowledge = knowledgeOf(target);
  expect([...knowledge.plainCredentials].toSorted()).toEqual([
    'client',
    'requestsPerMinute',
    'tokensPerDay[0]',
    'tokensPerDay[1]',
  ]);
  expect(knowledge.plainModels).toEqual(['chat']);
});

test('a target decides what is judged', () => {
  const limited = sampleError(429, 'rate_limit_exceeded', 'router', {
    credential: 'client',
    request: { model: 'chat' },
  });
  const requirements = [...routerUniversal({ target })(limited)].map((one) => one.requirement);
  expect(requirements).toContain('router.response-headers.no-retry-after-on-plain-rate-limit');
});

test('an engine that may speak the envelope is not held to the table', () => {
  const proxied = sampleError(418, 'rate_limit_exceeded', 'router', { path: '/v1/rerank' });
  const broken = (judge: ReturnType<typeof routerUniversal>) =>
    [...judge(proxied)].flatMap(({ judgement }) => judgement.violations);
  expect(broken(routerUniversal({ target, mayBeForwarded: () => false }))).not.toEqual([]);
  expect(broken(routerUniversal({ target, mayBeForwarded: () => true }))).toEqual([]);
  expect(broken(routerUniversal({ target }))).toEqual([]);
});
