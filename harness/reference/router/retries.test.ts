/** Tries, steps, provider fallback and free redials (retry-behaviour). */

import { expect, test } from 'vitest';
import type { Behaviour } from '../../backend/behaviour.ts';
import { running } from './running.test.support.ts';

const unavailable: Behaviour = { kind: 'respond', status: 503, text: 'loading' };
const dropped: Behaviour = { kind: 'complete', drop: { at: 'before-head', how: 'reset' } };
const answering: Behaviour = { kind: 'complete', text: 'second answer' };

test.for([
  ['context_length_exceeded', { type: 'context_length_exceeded' }],
  ['invalid_parameter', { type: 'invalid_parameter' }],
] as const)('%s stops the session: no second agent, no provider', async ([code, json]) => {
  const system = await running();
  for (const model of ['scripted-pair', 'scripted-provider']) {
    const script = await system.script({ kind: 'respond', status: 400, json }, answering);
    expect((await system.ask(model, { script })).code).toBe(code);
    expect(await system.hits(script)).toBe(1);
  }
});

test.for([
  ['503', unavailable],
  ['429', { kind: 'respond', status: 429, text: 'busy' }],
  ['500', { kind: 'respond', status: 500, text: 'oops' }],
  ['a lost connection', dropped],
  ['a body cut short', { kind: 'complete', drop: { at: 'before-end', how: 'close' } }],
] as const)('after %s another agent is tried', async ([, first]) => {
  const system = await running();
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    const script = await system.script(first, answering);
    const answer = await system.ask('scripted-pair', { script, path });
    expect([answer.status, answer.text.includes('second answer')]).toEqual([200, true]);
    const hits = await system.backend.hits(script);
    expect(new Set(hits.map(({ listener }) => listener)).size).toBe(2);
    expect(hits).toHaveLength(2);
  }
});

test('tries end at the maximum, and the last failure is what the client sees', async () => {
  const system = await running();
  const script = await system.script(unavailable);
  const answer = await system.ask('scripted-pair', { script });
  expect([answer.status, answer.code]).toEqual([503, 'backend_unavailable']);
  expect(await system.hits(script)).toBe(2);
});

test('the final code may be the end of the retries by choice', async () => {
  const system = await running({ choices: { finalCode: 'exhausted' } });
  const script = await system.script(unavailable);
  const answer = await system.ask('scripted-pair', { script });
  expect([answer.code, answer.source]).toEqual(['no_agents_available', 'router']);
});

test('the second step serves what the first cannot', async () => {
  const system = await running();
  expect((await system.ask('scripted-fallback')).status).toBe(200);
});

test('the provider answers when agents cannot, and its failure is backend_error', async () => {
  const system = await running();
  const second = await system.script(unavailable, answering);
  expect((await system.ask('scripted-provider', { script: second })).text).toContain(
    'second answer',
  );
  const hits = await system.backend.hits(second);
  expect(hits.map(({ listener }) => listener)).toEqual(system.backend.listeners);
  for (const failing of [
    { ...unavailable },
    dropped,
    { kind: 'respond', status: 400, json: { type: 'invalid_parameter' } },
  ] satisfies Behaviour[]) {
    const script = await system.script(unavailable, failing);
    const answer = await system.ask('scripted-provider', { script });
    expect([answer.status, answer.code, answer.source]).toEqual([502, 'backend_error', 'backend']);
    expect(await system.hits(script)).toBe(2);
  }
});

test('models that cannot be served say why', async () => {
  const system = await running();
  const dead = await system.ask('scripted-dead');
  expect([dead.status, dead.code, dead.source]).toEqual([503, 'backend_unavailable', 'backend']);
  const deadProxy = await system.ask('scripted-dead', { path: '/v1/messages' });
  expect(deadProxy.code).toBe('backend_unavailable');
  const lonely = await system.ask('scripted-lonely');
  expect([lonely.status, lonely.code, lonely.source]).toEqual([
    503,
    'no_agents_available',
    'router',
  ]);
  const gone = await system.ask('scripted-gone');
  expect([gone.status, gone.code, gone.source]).toEqual([503, 'agent_disconnected', 'router']);
});

test('an agent that went away and came back is dialled again for free', async () => {
  const system = await running();
  expect((await system.ask('scripted-chat')).status).toBe(200);
  system.router.disconnectAgent('north');
  expect((await system.ask('scripted-chat')).code).toBe('agent_disconnected');
  system.router.reconnectAgent('north');
  expect((await system.ask('scripted-chat')).status).toBe(200);
});

test('one X-Request-ID on two requests is two requests', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete' });
  const headers = { 'x-request-id': '6f1c5a52-94f0-4b31-9a44-0d7c4bb4c001' };
  const both = [
    system.ask('scripted-chat', { script, headers }),
    system.ask('scripted-chat', { script, headers }),
  ];
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  expect(await system.hits(script)).toBe(2);
});

test('an engine that cannot do what the route asks is not asked', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete' });
  const answer = await system.ask('scripted-embedding', { script });
  expect([answer.status, answer.code, answer.source]).toEqual([400, 'request_invalid', 'router']);
  expect(await system.hits(script)).toBe(0);
});
