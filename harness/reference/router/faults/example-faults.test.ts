/** The seam: each example breaks what it says, while the same request to the plain router is right. */

import { expect, test } from 'vitest';
import { running } from '../running.test.support.ts';
import type { Running } from '../running.test.support.ts';
import { exampleFaults } from './example-faults.ts';

/** What each fault shows to a client; true when the contract is broken. */
const shows: Readonly<Record<string, (system: Running) => Promise<boolean>>> = {
  'x-api-key-opens-all-routes': async (system) => {
    const headers = { 'x-api-key': system.secret('client') };
    return (await system.get('/v1/models', { as: null, headers })).status === 200;
  },
  'embeddings-errors-classified': async (system) => {
    const script = await system.script({ kind: 'respond', status: 400, text: 'no' });
    const rerank = await system.ask('scripted-rerank', { path: '/v1/rerank', script });
    expect(rerank.code).toBe('backend_error');
    const answer = await system.ask('scripted-embedding', { path: '/v1/embeddings', script });
    return answer.code === 'invalid_parameter';
  },
  'raw-message-513-when-split': async (system) => {
    const text = `${'a'.repeat(511)}${'é'.repeat(9)}`;
    const script = await system.script({ kind: 'respond', status: 400, text });
    const { message = '' } = await system.ask('scripted-chat', { script });
    return Buffer.byteLength(message) > 512;
  },
  'slot-leaks-on-hang-up': async (system) => {
    const script = await system.script({ kind: 'complete', hold: 'before-head' });
    const leaving = new AbortController();
    const asked = system.ask('scripted-slot', { script, signal: leaving.signal });
    await system.backend.waitFor(script, { held: 1 });
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    await system.backend.waitFor(script, { left: 1 });
    return (await system.ask('scripted-slot')).code === 'no_capacity';
  },
  'request-id-missing-once-in-200': async (system) => {
    const answers = Array.from({ length: 200 }, async () => system.get('/v1/models'));
    const ids = (await Promise.all(answers)).map(({ headers }) => headers['x-request-id']);
    return ids.filter((id) => id === undefined).length === 1;
  },
};

test.for(exampleFaults)('$name', async ({ name, patch }) => {
  const isBroken = shows[name];
  if (isBroken === undefined) throw new Error(`nothing is known of ${name}`);
  expect(await isBroken(await running({ patch }))).toBe(true);
  expect(await isBroken(await running())).toBe(false);
});
