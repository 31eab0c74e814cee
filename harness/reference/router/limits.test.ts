/** Bodies, model ids and input caps. */

import { expect, test } from 'vitest';
import { proxyPaths, running } from './running.test.support.ts';
import { markerOf } from '../../backend/body.ts';

const inferencePaths = ['/v1/chat/completions', ...proxyPaths.map(([path]) => path)];

test.for(inferencePaths)('%s refuses what is no request', async (path) => {
  const system = await running();
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const notText = Buffer.from([...Buffer.from('{"model":"'), 0xff, ...Buffer.from('"}')]);
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"model":7}',
    '{"model":null}',
    deep,
    notText,
  ]) {
    const answer = await system.send('POST', path, body);
    expect([answer.status, answer.code, answer.source]).toEqual([400, 'request_invalid', 'router']);
  }
  for (const [length, status, code] of [
    [255, 404, 'model_not_found'],
    [256, 404, 'model_not_found'],
    [257, 400, 'request_invalid'],
  ] as const) {
    const answer = await system.ask('m'.repeat(length), { path });
    expect([answer.status, answer.code]).toEqual([status, code]);
  }
  for (const model of ['Scripted-chat', 'scripted-chat ', 'scripted-cha']) {
    expect((await system.ask(model, { path })).code).toBe('model_not_found');
  }
});

test('a deep but valid request is served', async () => {
  const system = await running();
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const script = await system.script({ kind: 'respond', json: {} });
  const content = JSON.stringify(markerOf(script));
  const body = `{"model":"scripted-chat","messages":[{"role":"user","content":${content}}],"tools":${deep}}`;
  expect((await system.send('POST', '/v1/chat/completions', body)).status).toBe(200);
});

test.for(inferencePaths)('%s takes a body of the limit and no byte more', async (path) => {
  const system = await running({ limits: { maxRequestBytes: 20_000 } });
  const script = await system.script({ kind: 'respond', json: {} });
  const model = proxyPaths.find(([proxied]) => proxied === path)?.[1] ?? 'scripted-chat';
  const start = `{"model":"${model}","input":"${markerOf(script)}","x":"`;
  const bodyOf = (bytes: number) => `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
  expect((await system.send('POST', path, bodyOf(20_000))).status).toBe(200);
  const chunked = { 'transfer-encoding': 'chunked' };
  expect((await system.send('POST', path, bodyOf(20_000), { headers: chunked })).status).toBe(200);
  for (const headers of [{}, chunked]) {
    const answer = await system.send('POST', path, bodyOf(20_001), { headers });
    expect(answer.status).toBe(413);
    expect(answer.headers['x-request-id']).toBeDefined();
  }
  expect(await system.hits(script)).toBe(2);
});

test.for(['json', 'plain', 'empty', 'reset'] as const)(
  'a large body gets its 413 (%s)',
  async (oversize) => {
    const system = await running({ limits: { maxRequestBytes: 1_000 }, choices: { oversize } });
    const body = Buffer.alloc(300_000, 0x20);
    expect((await system.send('POST', '/v1/embeddings', body)).status).toBe(413);
  },
);

test('a limit of 0 is no limit, and the usual one is ten mebibytes', async () => {
  const without = await running({ limits: { maxRequestBytes: 0 } });
  const body = Buffer.alloc(10_485_761, 0x20);
  expect((await without.send('POST', '/v1/rerank', body)).code).toBe('request_invalid');
  const usual = await running();
  expect((await usual.send('POST', '/v1/rerank', body)).status).toBe(413);
  expect((await usual.send('POST', '/v1/rerank', body.subarray(1))).code).toBe('request_invalid');
});

test('a policy caps input tokens and images', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete' });
  const image = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` },
  };
  const withImages = (count: number) => ({
    extra: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: markerOf(script) },
            ...Array.from({ length: count }, () => image),
          ],
        },
      ],
    },
  });
  for (const [asking, code] of [
    [{ script, text: 'word '.repeat(8_000) }, 'input_too_long'],
    [withImages(3), 'input_too_long'],
    [withImages(2), undefined],
    [{ script }, undefined],
  ] as const) {
    const answer = await system.ask('scripted-capped', asking);
    expect([answer.code, answer.status]).toEqual([code, code === undefined ? 200 : 400]);
  }
  expect(await system.hits(script)).toBe(2);
});
