import { expect, test } from 'vitest';
import { knowledgeOf } from './route.ts';
import { sampleError } from './sample.test.support.ts';
import { routerUniversal } from './universal.ts';

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
