import { afterAll, describe, expect, test } from 'vitest';
import { Pool } from 'undici';
import { complete, Refused, respond, stall } from './behaviour.ts';
import { WaitTimedOut } from './control.ts';
import { connectScriptedBackend } from './control-client.ts';
import { markerOf } from './engine/request.ts';
import { startScriptedBackend } from './scripted-backend.ts';

const any = '127.0.0.1:0';
const backend = await startScriptedBackend({ listen: [any, any], control: any });
const remote = await connectScriptedBackend(backend.controlUrl ?? '');
const pool = new Pool(backend.listeners[0] ?? '');

afterAll(async () => {
  await pool.destroy();
  await remote.close();
  await backend.close();
});

async function chat(id: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'X-Case': 'Kept', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: markerOf(id) }] }),
    ...(signal ? { signal } : {}),
  });
  return { status: statusCode, body: await body.text() };
}

describe.each([
  ['in process', backend],
  ['over the control port', remote],
] as const)('control %s', (_, control) => {
  test('plays a script in order and repeats its last behaviour', async () => {
    const id = await control.script([
      respond(500, { a: 1 }),
      respond(429),
      complete({ text: 'ok' }),
    ]);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await chat(id)).status);
    expect(statuses).toEqual([500, 429, 200, 200]);
    expect(await control.hits(id)).toHaveLength(4);
  });

  test('tells of each hit what came, where and when', async () => {
    const id = await control.script([complete()]);
    const before = Date.now();
    await chat(id);
    await control.waitFor(id, { ended: 1 });
    const [hit] = await control.hits(id);
    expect(hit).toMatchObject({
      end: 'answered',
      path: '/v1/chat/completions',
      listener: backend.listeners[0],
    });
    expect(hit?.headers).toContainEqual(['X-Case', 'Kept']);
    expect(Buffer.from(hit?.body ?? []).toString()).toContain(markerOf(id));
    expect(hit?.bodyLength).toBe(hit?.body.length);
    expect(hit?.at).toBeGreaterThan(before - 1000);
    expect(hit?.endedAt).toBeGreaterThanOrEqual(hit?.at ?? Number.NaN);
  });

  test('gives up a wait that nothing meets, with what was there', async () => {
    const id = await control.script([complete()]);
    await chat(id);
    const error = await control
      .waitFor(id, { hits: 2 }, { timeoutMs: 20 })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimedOut);
    expect(error).toMatchObject({ counts: { hits: 1 } });
  });

  test('ends a wait when its signal says so', async () => {
    const id = await control.script([complete()]);
    const abort = new AbortController();
    const waiting = control.waitFor(id, { hits: 1 }, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('holds requests until released, one by one and then for good', async () => {
    const id = await control.script([stall()]);
    const all = Promise.all([chat(id), chat(id), chat(id)]);
    expect(await control.waitFor(id, { held: 3 })).toEqual({ hits: 3, held: 3, ended: 0 });
    await control.release(id, 1);
    expect(await control.waitFor(id, { ended: 1 })).toEqual({ hits: 3, held: 2, ended: 1 });
    await control.release(id);
    expect((await all).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await chat(id)).status).toBe(200);
  });

  test('sees a client leave a held request', async () => {
    const id = await control.script([stall()]);
    const abort = new AbortController();
    const left = chat(id, abort.signal);
    await control.waitFor(id, { held: 1 });
    abort.abort();
    await expect(left).rejects.toThrow(/abort/i);
    expect(await control.waitFor(id, { ended: 1 })).toMatchObject({ held: 0 });
    expect((await control.hits(id)).map(({ end }) => end)).toEqual(['left']);
  });

  test('refuses a script that it cannot play or does not know, and says why', async () => {
    const wrong = control.script([{ kind: 'respond', status: 99, json: {} }]);
    await expect(wrong).rejects.toThrow(/status/);
    await expect(wrong).rejects.toBeInstanceOf(Refused);
    await expect(control.counts('nothing')).rejects.toThrow('"nothing"');
  });

  test('sets the load of one listener or of all, and takes it back', async () => {
    const metrics = async () =>
      Promise.all(
        backend.listeners.map(async (url) => (await fetch(new URL('/metrics', url))).text()),
      );
    await control.setPressure({ running: 7, waiting: 3, cacheUsage: 0.9 }, backend.listeners[1]);
    const [first, second] = await metrics();
    expect(first).toMatch(/^vllm:num_requests_running\{.*\} 0$/m);
    expect(second).toMatch(/^vllm:num_requests_running\{.*\} 7$/m);
    expect(second).toMatch(/^vllm:num_requests_waiting\{.*\} 3$/m);
    expect(second).toMatch(/^vllm:gpu_cache_usage_perc\{.*\} 0\.9$/m);
    await control.setPressure(null);
    expect((await metrics())[1]).toMatch(/^vllm:num_requests_running\{.*\} 0$/m);
    await expect(control.setPressure(null, 'http://nowhere')).rejects.toThrow(/No listener/);
  });

  test('counts what reached a listener, also without a script', async () => {
    const of = async () => (await control.totals())[0];
    const before = await of();
    await chat('unknown');
    const after = await of();
    expect(after?.hits).toBe((before?.hits ?? 0) + 1);
  });
});

const local = await startScriptedBackend({ listen: [any], control: any });
const one = await connectScriptedBackend(local.controlUrl ?? '');
const two = await connectScriptedBackend(local.controlUrl ?? '');
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  await local.close();
});

/** True if the promise has settled after some round trips over loopback. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  for (const client of [one, two, one, two, one, two]) await client.totals();
  return settled;
}

describe.for([
  ['in the process of the backend', local, local],
  ['over the control port', one, two],
  ['in one process and over the port', local, one],
] as const)('turns %s', ([, first, second]) => {
  test('are taken beside one another', async () => {
    const turns = await Promise.all([first.turn(false), second.turn(false)]);
    expect(turns).toHaveLength(2);
    for (const leave of turns) leave();
  });

  test('that are alone wait for all others, and all others for them', async () => {
    const end = await first.turn(false);
    const alone = second.turn(true);
    expect(await isSettled(alone)).toBe(false);
    const after = first.turn(false);
    end();
    const leave = await alone;
    expect(await isSettled(after)).toBe(false);
    leave();
    (await after)();
  });
});

test('a client that goes away gives its turn back', async () => {
  const passing = await connectScriptedBackend(local.controlUrl ?? '');
  await passing.turn(true);
  const next = local.turn(false);
  expect(await isSettled(next)).toBe(false);
  await passing.close();
  (await next)();
});

test('a client that waits no longer keeps nobody from a turn', async () => {
  const first = await local.turn(false);
  const stop = new AbortController();
  const alone = one.turn(true, stop.signal).catch((error: unknown) => error);
  stop.abort(new Error('enough'));
  await alone;
  const next = local.turn(false);
  expect(await isSettled(next)).toBe(true);
  (await next)();
  first();
});
