/** Other choices in what is open: the answers look different and stay within the contract. */

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Deployment } from './model.ts';
import { running } from './running.test.support.ts';
import { routerVariants } from './variants/index.ts';

/** A bucket that a few requests empty. */
function withFewRequests(usual: Deployment): Deployment {
  const keys = usual.keys.map((key) =>
    key.name === 'requestsPerMinute' ? { ...key, requestsPerMinute: 6 } : key,
  );
  return { ...usual, keys };
}

test.for(routerVariants)('$name', async ({ options }) => {
  const system = await running({ ...options(), configure: withFewRequests });
  expect((await system.ask('scripted-chat')).status).toBe(200);
  const stream = await system.ask('scripted-chat', { extra: { stream: true } });
  expect([stream.status, stream.text.includes('[DONE]')]).toEqual([200, true]);
  const refused = await system.ask('nowhere');
  expect([refused.status, refused.code, refused.source]).toEqual([
    404,
    'model_not_found',
    'router',
  ]);
  const stranger = await system.get('/v1/models', { as: null });
  expect([stranger.status, stranger.code]).toEqual([401, 'unauthorized']);
  expect(stranger.headers['www-authenticate']).toMatch(/bearer .*realm=/i);
  expect((await system.get('/v1/models')).text).toContain('"id":"scripted-chat"');
  // A router may say by 503 what it thinks of its fleet.
  expect([200, 503]).toContain((await system.get('/admin/health', { as: 'admin' })).status);
  expect((await system.send('POST', '/v1/responses', '{}')).status).toBe(404);
  // More than three replicas give at once.
  const last = Array.from({ length: 48 }, async () =>
    system.ask('scripted-chat', { as: 'requestsPerMinute' }),
  );
  const spent = (await Promise.all(last)).filter(({ status }) => status === 429);
  expect(spent.length).toBeGreaterThan(0);
  for (const { headers } of spent) expect(headers['x-ratelimit-remaining-requests']).toBe('0');
});

test('refusals may come in any order', async () => {
  const order = ['tokens', 'caps', 'requests', 'existence', 'permission'] as const;
  const rest = [
    'declaration',
    'capability',
    'shed',
    'serverless',
    'inflight',
    'occupancy',
  ] as const;
  const system = await running({ choices: { refusalOrder: [...order, ...rest] } });
  const both = await system.ask('nowhere', { as: 'allowlisted' });
  expect(both.code).toBe('model_not_found');
  const usual = await running();
  expect((await usual.ask('nowhere', { as: 'allowlisted' })).code).toBe('model_forbidden');
});

test('even bytes that are no request get an id', async () => {
  const system = await running();
  const { hostname, port } = new URL(system.router.baseUrl);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('nonsense\r\n\r\n'));
    let received = '';
    socket.on('data', (bytes) => (received += String(bytes)));
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*X-Request-ID: [0-9a-f-]{36}/);
});

test('the target file offers every fixture', async () => {
  const system = await running({ backend: { listen: ['127.0.0.1:9100'] } });
  const target = system.router.target();
  expect(target).toMatchObject({
    contract: 'router',
    baseUrl: system.router.baseUrl,
    backend: { listen: ['127.0.0.1:9100'] },
    keys: { client: system.secret('client'), tokensPerDay: expect.any(Array) },
  });
  const values = [...Object.values(target.keys), ...Object.values(target.models)];
  expect(values.every((value) => value !== undefined)).toBe(true);
  const { data }: { data: readonly { id: string }[] } = JSON.parse(
    (await system.get('/v1/models')).text,
  );
  const listed = new Set(data.map(({ id }) => id));
  for (const model of Object.values(target.models)) {
    const id = typeof model === 'string' ? model : new Map(Object.entries(Object(model))).get('id');
    expect(listed).toContain(id);
  }
});
