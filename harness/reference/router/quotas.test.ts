/** Request buckets, daily tokens, serverless rates and quotas per model. */

import { expect, test } from 'vitest';
import { type Running, running, statusesOf } from './running.test.support.ts';

const generous = { kind: 'complete', usage: { inputTokens: 5, outputTokens: 50_000 } } as const;
const modest = { kind: 'complete', usage: { inputTokens: 5, outputTokens: 10 } } as const;
const noon = Date.UTC(2026, 5, 1, 12);

/** A router with a clock that the test controls. */
async function clocked(): Promise<{ system: Running; clock: { now: number } }> {
  const clock = { now: noon };
  return { system: await running({ now: () => clock.now }), clock };
}

test('a request bucket empties, says so, and refills continuously for its key alone', async () => {
  const { system, clock } = await clocked();
  const script = await system.script({ kind: 'complete' });
  const as = 'requestsPerMinute';
  for (let left = 89; left >= 0; left -= 1) {
    const answer = await system.ask('scripted-chat', { as, script });
    const remaining = answer.headers['x-ratelimit-remaining-requests'];
    expect([answer.status, remaining]).toEqual([200, String(left)]);
  }
  const { status, code, source, headers } = await system.ask('scripted-chat', { as, script });
  expect([status, code, source]).toEqual([429, 'rate_limit_exceeded', 'router']);
  expect(headers['x-ratelimit-remaining-requests']).toBe('0');
  expect(headers['retry-after']).toBeUndefined();
  expect(await system.hits(script)).toBe(90);
  expect((await system.ask('scripted-chat')).status).toBe(200);
  clock.now += 666;
  expect((await system.ask('scripted-chat', { as })).status).toBe(429);
  clock.now += 1_334;
  const passing = [1, 2, 3, 4].map(async () => system.ask('scripted-chat', { as }));
  expect(await statusesOf(passing)).toEqual([200, 200, 200, 429]);
});

test('an overrun may charge the prompt alone', async () => {
  const system = await running({ choices: { overrunCharges: 'prompt' } });
  const as = 'tokensPerDay-1';
  const overrun = await system.ask('scripted-chat', { as, script: await system.script(generous) });
  expect(overrun.headers['x-ratelimit-remaining-tokens']).toBe('0');
  const next = await system.ask('scripted-chat', { as, script: await system.script(modest) });
  expect(Number(next.headers['x-ratelimit-remaining-tokens'])).toBeLessThan(2_000 - 20);
});

test.for(['/v1/chat/completions', '/v1/messages'])(
  '%s: a stream over the budget is delivered and accounted afterwards',
  async (path) => {
    const { system, clock } = await clocked();
    const as = 'tokensPerDay-1';
    const script = await system.script(generous);
    const stream = await system.ask('scripted-chat', { as, path, script, extra: { stream: true } });
    expect(stream.status).toBe(200);
    expect(stream.text).toMatch(/\[DONE\]|message_stop/);
    expect(system.router.streamOverruns()).toBe(1);
    expect((await system.ask('scripted-chat', { as, path })).code).toBe('token_limit_exceeded');
    clock.now = Date.UTC(2026, 5, 1, 23, 59, 59, 999);
    expect((await system.ask('scripted-chat', { as, path })).code).toBe('token_limit_exceeded');
    clock.now += 1;
    expect((await system.ask('scripted-chat', { as, path })).status).toBe(200);
  },
);

test.for([false, true])(
  'serverless output is charged afterwards, to its key (stream: %s)',
  async (stream) => {
    const { system, clock } = await clocked();
    const as = 'serverless';
    const script = await system.script(generous);
    const first = await system.ask('scripted-serverless', { as, script, extra: { stream } });
    expect(first.status).toBe(200);
    const refused = await system.ask('scripted-serverless', { as, script });
    expect([refused.code, refused.headers['retry-after']]).toEqual(['rate_limit_exceeded', '1']);
    expect(await system.hits(script)).toBe(1);
    expect((await system.ask('scripted-serverless', { as: 'second' })).status).toBe(200);
    clock.now += 2_000;
    expect((await system.ask('scripted-serverless', { as })).status).toBe(200);
  },
);
