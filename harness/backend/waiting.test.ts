/** Answers that wait, and clients that do not. */

import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { complete, events, hang, stall, respond } from './behaviours.ts';
import { deliveryOf, planDelivery } from './delivery.ts';
import { replyTo } from './engine/reply.ts';
import { readRequest } from './engine/request.ts';
import { markerOf } from './marker.ts';
import { chunksOf, rawPost, type RawAnswer } from './raw-request.ts';
import { startScriptedBackend, type ScriptedBackend } from './scripted-backend.ts';

let backend: ScriptedBackend;

beforeAll(async () => {
  backend = await startScriptedBackend({ listen: ['127.0.0.1:0'] });
});

afterAll(async () => backend.close());

async function ask(id: string): Promise<RawAnswer> {
  const messages = [{ role: 'user', content: markerOf(id) }];
  return rawPost(backend.listeners[0] ?? '', '/v1/chat/completions', { messages });
}

describe('waits', () => {
  test('at any place until it is released', async () => {
    const id = await backend.script([stall({ insideEvent: 1, afterBytes: 1 }, { stream: true })]);
    const answer = ask(id);
    await backend.waitFor(id, { held: 1 });
    await backend.release(id);
    expect(chunksOf((await answer).framed).whole).toBe(true);
  });

  test('in silence, and closes once released', async () => {
    const id = await backend.script([hang()]);
    const answer = ask(id);
    await backend.waitFor(id, { held: 1 });
    await backend.release(id);
    expect(await answer).toMatchObject({ head: '', ended: 'end' });
    expect(await backend.counts(id)).toMatchObject({ dropped: 1, left: 0 });
  });

  test('in silence after the head', async () => {
    const id = await backend.script([hang('after-head')]);
    const answer = ask(id);
    await backend.waitFor(id, { held: 1 });
    await backend.release(id);
    const { head, framed } = await answer;
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(framed).toHaveLength(0);
  });

  test('for a time before the head and between chunks, not before the first', () => {
    const request = readRequest('chat', Buffer.from('{}'));
    const slow = events([{ data: '1' }, { data: '2' }], { delayHeadMs: 5, delayChunkMs: 7 });
    const steps = planDelivery(replyTo(slow, request), deliveryOf(slow));
    expect(steps.map((step) => (step.do === 'wait' ? step.ms : step.do))).toEqual([
      5,
      'head',
      'write',
      7,
      'write',
      'finish',
    ]);
  });

  test('and then answers in full', async () => {
    const slow = events([{ data: '1' }, { data: '2' }], { delayHeadMs: 1, delayChunkMs: 1 });
    const id = await backend.script([slow]);
    expect(chunksOf((await ask(id)).framed)).toMatchObject({ whole: true, chunks: { length: 2 } });
    expect(await backend.waitFor(id, { ended: 1 })).toMatchObject({ answered: 1 });
  });

  test('only as long as the client is there', async () => {
    const id = await backend.script([complete({ delayHeadMs: 600_000 })]);
    const abort = new AbortController();
    const gone = fetch(new URL('/v1/chat/completions', backend.listeners[0]), {
      method: 'POST',
      body: JSON.stringify({ prompt: markerOf(id) }),
      signal: abort.signal,
    });
    await backend.waitForHits(id, 1);
    abort.abort();
    await expect(gone).rejects.toThrow(/abort/i);
    expect(await backend.waitFor(id, { left: 1 })).toMatchObject({ open: 0 });
  });
});

test('a client that goes in the middle of its request is a hit that used no behaviour', async () => {
  const id = await backend.script([respond(500), respond(429)]);
  const { hostname, port } = new URL(backend.listeners[0] ?? '');
  const socket = connect(Number(port), hostname);
  const partial = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n${markerOf(id)}`;
  socket.write(partial, () => socket.destroySoon());
  await backend.waitFor(id, { left: 1 });
  expect((await backend.hits(id)).map(({ behaviour, end }) => [behaviour, end])).toEqual([
    [null, 'left'],
  ]);
  expect((await ask(id)).head).toMatch(/^HTTP\/1\.1 500 /);
});

test('a client that goes in the middle of a stream is seen', async () => {
  const id = await backend.script([stall({ afterEvents: 1 }, { stream: true })]);
  const abort = new AbortController();
  const response = await fetch(new URL('/v1/chat/completions', backend.listeners[0]), {
    method: 'POST',
    body: JSON.stringify({ messages: markerOf(id) }),
    signal: abort.signal,
  });
  expect(response.status).toBe(200);
  await backend.waitFor(id, { held: 1 });
  abort.abort();
  expect(await backend.waitFor(id, { left: 1 })).toMatchObject({ held: 0, answered: 0 });
});
