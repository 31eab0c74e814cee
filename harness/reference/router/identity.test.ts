/** Endpoints, authentication and the headers of every response. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { proxyPaths, running } from './running.test.support.ts';
import type { Answered } from './running.test.support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const clientRoutes = [
  ['GET', '/v1/models'],
  ['GET', '/v1/models/scripted-chat'],
  ['POST', '/v1/chat/completions'],
  ...proxyPaths.map(([path]) => ['POST', path] as const),
] as const;
const adminRoutes = [
  ['GET', '/admin/health'],
  ['GET', '/admin/routing-table'],
] as const;

function expectRefused(answer: Answered): void {
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="plumbline-router"');
  expect(answer.headers['x-request-id']).toMatch(UUID);
}

test.for([...clientRoutes, ...adminRoutes])(
  '%s %s needs a key of its own role',
  async ([method, path]) => {
    const system = await running();
    const wrongRole = path.startsWith('/admin') ? 'client' : 'admin';
    const rightRole = path.startsWith('/admin') ? 'admin' : 'client';
    const hash = createHash('sha256').update(system.secret(rightRole)).digest('hex');
    const missing = await system.send(method, path, '', { as: null });
    expectRefused(missing);
    for (const as of [wrongRole, 'expired', 'disabled', 'removed', 'nobody', hash, 'two words']) {
      const refused = await system.send(method, path, '', { as });
      expectRefused(refused);
      expect(refused.text).toBe(missing.text);
    }
    for (const headers of [
      { 'x-api-key': system.secret(rightRole) },
      { authorization: system.secret(rightRole) },
      { authorization: `Basic ${system.secret(rightRole)}` },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
    ]) {
      expectRefused(await system.send(method, path, '', { as: null, headers }));
    }
    expect((await system.send(method, path, '{}', { as: rightRole })).status).not.toBe(401);
  },
);

test('a refusal names unauthorized by the router on client routes', async () => {
  const system = await running();
  const { code, source, message } = await system.get('/v1/models', { as: null });
  expect({ code, source, message }).toEqual({
    code: 'unauthorized',
    source: 'router',
    message: 'unauthorized',
  });
});

test('models are listed and detailed to those who may see them', async () => {
  const system = await running();
  const list: unknown = JSON.parse((await system.get('/v1/models')).text);
  expect(list).toMatchObject({
    data: expect.arrayContaining([
      { id: 'scripted-hidden', object: 'model', owned_by: 'reference' },
    ]),
  });
  const hiddenList = await system.get('/v1/models', { as: 'allowlisted' });
  expect(hiddenList.text).not.toContain('scripted-hidden');
  expect(hiddenList.text).toContain('scripted-chat');
  expect((await system.get('/v1/models/scripted-hidden')).status).toBe(200);
  const hidden = await system.get('/v1/models/scripted-hidden', { as: 'allowlisted' });
  const unknown = await system.get('/v1/models/nowhere', { as: 'allowlisted' });
  expect([hidden.status, hidden.code, hidden.source]).toEqual([404, 'model_not_found', 'router']);
  expect([unknown.status, unknown.code]).toEqual([404, 'model_not_found']);
});

test('administrators see health and the routing table', async () => {
  const system = await running();
  expect((await system.get('/admin/health', { as: 'admin' })).status).toBe(200);
  expect((await system.get('/admin/routing-table', { as: 'admin' })).text).toContain(
    'scripted-pair',
  );
  const refused: unknown = JSON.parse((await system.get('/admin/health')).text);
  expect(refused).toEqual({ error: 'unauthorized' });
});

test('the responses route is an ordinary 404 that reaches no engine', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete' });
  const answer = await system.ask('scripted-chat', { path: '/v1/responses', script });
  expect(answer.status).toBe(404);
  expect(answer.headers['x-request-id']).toMatch(UUID);
  expect(await system.hits(script)).toBe(0);
  expect((await system.get('/nowhere')).status).toBe(404);
});

test('every response carries a fresh UUID, whatever the client sent', async () => {
  const system = await running();
  const headers = { 'x-request-id': 'not-a-uuid' };
  const one = await system.get('/v1/models', { headers });
  const other = await system.ask('scripted-chat', { headers });
  expect(one.headers['x-request-id']).toMatch(UUID);
  expect(other.headers['x-request-id']).toMatch(UUID);
  expect(one.headers['x-request-id']).not.toBe(other.headers['x-request-id']);
});

test('the trace of the client is continued, an invalid one is not', async () => {
  const system = await running();
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
  const traced = await system.get('/v1/models', { headers });
  expect(traced.headers['traceparent']).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  const invalid = { headers: { traceparent: 'nonsense' } };
  const untraced = await system.get('/v1/models', invalid);
  expect(untraced.headers['traceparent']).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const silent = await running({ choices: { traceparent: 'continue' } });
  expect((await silent.get('/v1/models', invalid)).headers['traceparent']).toBeUndefined();
});

test('an allowlist forbids other models on every inference route, before an engine', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete' });
  for (const path of ['/v1/chat/completions', ...proxyPaths.map(([proxied]) => proxied)]) {
    const answer = await system.ask('scripted-pair', { as: 'allowlisted', path, script });
    expect([answer.status, answer.code, answer.source]).toEqual([403, 'model_forbidden', 'router']);
  }
  expect(await system.hits(script)).toBe(0);
  expect((await system.ask('scripted-chat', { as: 'allowlisted', script })).status).toBe(200);
});
