/** What holds for every fault, and that some break what they say while the plain router is right. */

import { describe, expect, test } from 'vitest';
import { defaultChoices } from '../choices.ts';
import { conformingRules } from '../rules/rules.ts';
import { running } from '../running.test.support.ts';
import type { Running } from '../running.test.support.ts';
import { routerFaults } from './index.ts';

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
    await system.backend.waitFor(script, { ended: 1 });
    return (await system.ask('scripted-slot')).code === 'no_capacity';
  },
  'request-id-missing-once-in-200': async (system) => {
    const answers = Array.from({ length: 200 }, async () => system.get('/v1/models'));
    const ids = (await Promise.all(answers)).map(({ headers }) => headers['x-request-id']);
    return ids.filter((id) => id === undefined).length === 1;
  },
};

test.for(Object.entries(shows))('%s', async ([name, isBroken]) => {
  const fault = routerFaults.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`There is no fault ${name}.`);
  expect(await isBroken(await running({ patch: fault.patch }))).toBe(true);
  expect(await isBroken(await running())).toBe(false);
});

test('names are slugs, and each is there once', () => {
  const names = routerFaults.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(name))).toEqual([]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

describe('each fault', () => {
  test.for(routerFaults)('$name', ({ aims, besides, patch, summary }) => {
    const breaks = [aims, ...besides];
    expect(summary).toMatch(/^[A-Z].*\.$/u);
    expect(new Set(breaks).size).toBe(breaks.length);
    for (const id of breaks) expect(id).toMatch(/^router\.[a-z-]+\.[a-z0-9_-]+$/u);
    const rules = conformingRules(defaultChoices);
    const before = new Map(Object.entries(rules));
    const after = new Map(Object.entries(patch(rules)));
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect([...after].some(([rule, decide]) => before.get(rule) !== decide)).toBe(true);
    // The conforming rules themselves stay as they are, for the deployments that start beside this one.
    expect(new Map(Object.entries(rules))).toEqual(before);
  });
});
