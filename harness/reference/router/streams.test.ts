/** How a stream ends: cut with its engine, and by the deadline if the deployment chooses so. */

import { type IncomingMessage, request as start } from 'node:http';
import { expect, test } from 'vitest';
import { markerOf } from '../../backend/engine/request.ts';
import { running, type Running } from './running.test.support.ts';

const text = ['one ', 'zwö', ' 😀 three'];

/** Everything of a stream that arrived, and whether it was complete. */
async function drained(system: Running, model: string, script: string) {
  const body = { model, stream: true, messages: [{ role: 'user', content: markerOf(script) }] };
  const outgoing = start(`${system.router.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${system.secret('client')}` },
  });
  outgoing.end(JSON.stringify(body));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  let received = '';
  try {
    for await (const piece of response) received += String(piece);
    return { status: response.statusCode, received, whole: true };
  } catch {
    return { status: response.statusCode, received, whole: false };
  }
}

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
