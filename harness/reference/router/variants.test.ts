/** Other choices where the contract is open: the responses differ but conform. */

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { running } from './running.test.support.ts';

test('refusals may come in any order', async () => {
  const first = ['tokens', 'caps', 'requests', 'existence', 'permission', 'declaration'] as const;
  const rest = ['capability', 'shed', 'serverless', 'inflight', 'occupancy'] as const;
  const other = await running({ choices: { refusalOrder: [...first, ...rest] } });
  const usual = await running();
  const codes = [other, usual].map(
    async (one) => (await one.ask('nowhere', { as: 'allowlisted' })).code,
  );
  expect(await Promise.all(codes)).toEqual(['model_not_found', 'model_forbidden']);
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
