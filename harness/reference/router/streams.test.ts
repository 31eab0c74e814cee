/** Streams: passed on as they come, refused as JSON before, cut after. */

import { type IncomingMessage, request as start } from 'node:http';
import { expect, test } from 'vitest';
import { markerOf } from '../../backend/body.ts';
import { type Answered, running, type Running } from './running.test.support.ts';

const streaming = { extra: { stream: true } };
const text = ['one ', 'zwö', ' 😀 three'];

/** Opens a stream and reads until it has begun; the rest is the test's affair. */
async function open(system: Running, model: string, script: string) {
  const body = { model, stream: true, messages: [{ role: 'user', content: markerOf(script) }] };
  const outgoing = start(`${system.router.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${system.secret('client')}` },
  });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  const pieces = response[Symbol.asyncIterator]();
  const first = String((await pieces.next()).value);
  return { response, first, hangUp: () => outgoing.destroy(), pieces };
}

/** Everything of a stream that arrived, and whether it was whole. */
async function drained(system: Running, model: string, script: string) {
  const { response, first, pieces } = await open(system, model, script);
  let received = first;
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      received += String(next.value);
    }
    return { status: response.statusCode, received, whole: true };
  } catch {
    return { status: response.statusCode, received, whole: false };
  }
}

test.for(['/v1/chat/completions', '/v1/messages'])(
  '%s: all bytes of the engine arrive',
  async (path) => {
    const system = await running();
    for (const size of [1, 7, 1_000]) {
      const splitAt = Array.from({ length: 4_000 / size }, (_, at) => (at + 1) * size);
      const script = await system.script({ kind: 'complete', text, splitAt });
      const direct = await fetch(`${system.backend.listeners[0]}${path}`, {
        method: 'POST',
        body: JSON.stringify({
          model: 'scripted-chat',
          stream: true,
          max_tokens: 16,
          messages: [{ role: 'user', content: `Say hello. ${markerOf(script)}` }],
        }),
      });
      const answer = await system.ask('scripted-chat', {
        path,
        script,
        extra: { stream: true, max_tokens: 16 },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(withoutIds(answer.text)).toBe(withoutIds(await direct.text()));
      expect(answer.text).toContain('zwö');
    }
  },
);

/** What an engine makes anew for every answer. */
function withoutIds(stream: string): string {
  return stream.replaceAll(/"(id|created)":("[^"]*"|\d+)/g, '');
}

test('an event arrives while the engine still holds the stream', async () => {
  const system = await running();
  const script = await system.script({ kind: 'complete', text, hold: { afterEvents: 1 } });
  const { first, response, hangUp } = await open(system, 'scripted-chat', script);
  expect(first).toContain('data:');
  expect(response.statusCode).toBe(200);
  hangUp();
});

test('before the first byte every refusal and failure is JSON', async () => {
  const system = await running();
  const refusals: readonly (readonly [Promise<Answered>, number, string])[] = [
    [system.ask('nowhere', streaming), 404, 'model_not_found'],
    [system.ask('scripted-chat', { ...streaming, as: null }), 401, 'unauthorized'],
    [
      system.ask('scripted-chat', {
        ...streaming,
        script: await system.script({
          kind: 'respond',
          status: 400,
          json: { type: 'invalid_parameter' },
        }),
      }),
      400,
      'invalid_parameter',
    ],
    ...(['before-head', 'after-head'] as const).map(
      (at) =>
        [
          system
            .script({ kind: 'complete', drop: { at, how: 'close' } })
            .then(async (script) => system.ask('scripted-chat', { ...streaming, script })),
          503,
          'backend_unavailable',
        ] as const,
    ),
  ];
  for (const [asked, status, code] of refusals) {
    const answer = await asked;
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect(answer.headers['content-type']).toBe('application/json');
  }
});

test('a stream lost before its first byte is begun by another agent', async () => {
  const system = await running();
  const script = await system.script(
    { kind: 'complete', drop: { at: 'after-head', how: 'reset' } },
    { kind: 'complete', text },
  );
  const answer = await system.ask('scripted-pair', { ...streaming, script });
  expect([answer.status, answer.text.includes('[DONE]')]).toEqual([200, true]);
  expect(await system.hits(script)).toBe(2);
});

test.for(['cut', 'reset', 'end'] as const)(
  'a stream whose engine is lost ends early (%s), without a word of the router',
  async (streamFailure) => {
    const system = await running({ choices: { streamFailure } });
    for (const at of [{ afterEvents: 2 }, { insideEvent: 2 }]) {
      const script = await system.script({ kind: 'complete', text, drop: { at, how: 'reset' } });
      const { status, received, whole } = await drained(system, 'scripted-pair', script);
      expect([status, whole]).toEqual([200, streamFailure === 'end']);
      expect(received).toContain('one ');
      expect(received).not.toContain('[DONE]');
      expect(received).not.toContain('error');
      expect(await system.hits(script)).toBe(1);
    }
  },
);

test('a hang-up reaches the engine and frees the slot, also in the middle of a stream', async () => {
  const system = await running();
  const held = await system.script({ kind: 'complete', text, hold: { afterEvents: 1 } });
  const stream = await open(system, 'scripted-slot', held);
  expect((await system.ask('scripted-slot')).code).toBe('no_capacity');
  stream.hangUp();
  await system.backend.waitFor(held, { ended: 1 });
  expect((await system.ask('scripted-slot')).status).toBe(200);
});

test('the deadline does not touch a stream that has begun, unless so chosen', async () => {
  for (const deadlineCutsStreams of [false, true]) {
    const system = await running({
      limits: { requestTimeoutMs: 400 },
      choices: { deadlineCutsStreams },
    });
    const script = await system.script({ kind: 'complete', text, delayChunkMs: 150 });
    const { status, whole } = await drained(system, 'scripted-chat', script);
    expect([status, whole]).toEqual([200, !deadlineCutsStreams]);
  }
});
