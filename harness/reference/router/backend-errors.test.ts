/** Classification on the native route, wrapping on the others. */

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { proxyPaths, running } from './running.test.support.ts';

const LONG_CONTEXT = 'Context of 9000 exceeds the LENGTH of the model';

test.for([
  [{ type: 'context_length_exceeded' }, 418, 'context_length_exceeded'],
  [{ error: { type: 'context_length_exceeded' } }, 503, 'context_length_exceeded'],
  [{ type: 'invalid_request_error' }, 500, 'invalid_parameter'],
  [{ error: { type: 'invalid_request_error', message: LONG_CONTEXT } }, 400, 'invalid_parameter'],
  [{ type: 'invalid_parameter' }, 429, 'invalid_parameter'],
  [{ type: 'odd', error: { type: 'invalid_parameter' } }, 503, 'invalid_parameter'],
  [{ error: { type: 'odd', message: LONG_CONTEXT } }, 400, 'context_length_exceeded'],
  [{ message: 'the window is smaller than this context' }, 422, 'context_length_exceeded'],
  [{ detail: 'Tokens beyond the context' }, 400, 'context_length_exceeded'],
  [{ error: { message: 'context is bad' } }, 400, 'invalid_parameter'],
  [{ error: { message: 'too many tokens' } }, 422, 'invalid_parameter'],
  [{ error: { type: 7, message: 'no' } }, 400, 'invalid_parameter'],
  [{ error: 'no' }, 429, 'backend_unavailable'],
  [{ message: LONG_CONTEXT }, 503, 'backend_unavailable'],
  [{ message: LONG_CONTEXT }, 500, 'backend_error'],
  [{ error: { type: 'odd' } }, 404, 'backend_error'],
  [['list'], 401, 'backend_error'],
] as const)('chat: %j with %d becomes %s', async ([json, status, code]) => {
  const system = await running();
  const body = JSON.stringify(json);
  const script = await system.script({ kind: 'respond', status, text: body });
  const answer = await system.ask('scripted-chat', { script });
  const statuses = new Map<string, number>([
    ['backend_error', 502],
    ['backend_unavailable', 503],
  ]);
  const expected = statuses.get(code) ?? 400;
  expect([answer.code, answer.source, answer.status]).toEqual([code, 'backend', expected]);
  expect(answer.headers['retry-after']).toBeUndefined();
});

test('the message is that of the JSON, whole, or else the raw body', async () => {
  const system = await running();
  const long = 'x'.repeat(700);
  const named = await system.script({
    kind: 'respond',
    status: 400,
    json: { error: { message: long } },
  });
  expect((await system.ask('scripted-chat', { script: named })).message).toBe(long);
  const raw = await system.script({ kind: 'respond', status: 500, text: 'plain words' });
  expect((await system.ask('scripted-chat', { script: raw })).message).toBe('plain words');
});

test.for([
  ['a'.repeat(600), 512],
  ['a'.repeat(511) + 'é'.repeat(20), 511],
  ['a'.repeat(510) + '€'.repeat(20), 510],
  ['a'.repeat(509) + '😀'.repeat(20), 509],
  ['é'.repeat(400), 512],
  ['a'.repeat(512), 512],
] as const)(
  'a raw body is cut to at most 512 bytes, between characters (%#)',
  async ([text, bytes]) => {
    const system = await running();
    const script = await system.script({ kind: 'respond', status: 400, text });
    const { message = '' } = await system.ask('scripted-chat', { script });
    expect(Buffer.byteLength(message)).toBe(bytes);
    expect(text.startsWith(message)).toBe(true);
  },
);

test('bytes that are no UTF-8 stay within 512 bytes too', async () => {
  const system = await running();
  const base64 = Buffer.alloc(600, 0xff).toString('base64');
  const script = await system.script({ kind: 'respond', status: 400, base64 });
  const { message = '' } = await system.ask('scripted-chat', { script });
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(512);
  expect(message).not.toBe('');
});

test.for(proxyPaths)('%s passes successes through and wraps errors', async ([path, model]) => {
  const system = await running();
  const text = '{ "odd" :  "spacing", "é": 1 }\n';
  const success = await system.script({
    kind: 'respond',
    status: 201,
    text,
    headers: [['content-type', 'application/json; x=1']],
  });
  const passed = await system.ask(model, { path, script: success });
  expect([passed.status, passed.text]).toEqual([201, text]);
  expect(passed.headers['content-type']).toBe('application/json; x=1');

  for (const json of [
    { error: { type: 'invalid_request_error', message: LONG_CONTEXT } },
    { error: { code: 'invalid_parameter', message: 'no source' } },
    { error: { code: 'invalid_parameter', message: 'x', source: 'engine' } },
    { error: { code: 1, message: 'x', source: 'router' } },
    { code: 'invalid_parameter', message: 'x', source: 'router' },
  ]) {
    const script = await system.script({ kind: 'respond', status: 400, json });
    const wrapped = await system.ask(model, { path, script });
    expect([wrapped.status, wrapped.code, wrapped.source]).toEqual([
      502,
      'backend_error',
      'backend',
    ]);
  }

  for (const source of ['router', 'backend']) {
    const json = { error: { code: 'invalid_parameter', message: 'kept', source } };
    const script = await system.script({ kind: 'respond', status: 418, json });
    const kept = await system.ask(model, { path, script });
    expect([kept.status, kept.code, kept.source, kept.message]).toEqual([
      400,
      'invalid_parameter',
      source,
      'kept',
    ]);
  }
});

test('an encoded body keeps the header that says so', async () => {
  const system = await running();
  const base64 = gzipSync('{}').toString('base64');
  const headers: [string, string][] = [['Content-Encoding', 'gzip']];
  const script = await system.script({ kind: 'respond', base64, headers });
  const answer = await system.ask('scripted-chat', { script });
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'gzip']);
});

test('headers of the engine do not add a Retry-After', async () => {
  const system = await running();
  const script = await system.script({
    kind: 'respond',
    status: 503,
    text: 'busy',
    headers: [['Retry-After', '7']],
  });
  const answer = await system.ask('scripted-chat', { script });
  expect(answer.headers['retry-after']).toBeUndefined();
});
