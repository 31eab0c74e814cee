import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Pool } from 'undici';
import { complete, Refused, respond, stall } from './behaviour.ts';
import { type BackendControl, WaitTimedOut } from './control.ts';
import { connectScriptedBackend } from './control-client.ts';
import { markerOf } from './body.ts';
import { type ScriptedBackend, startScriptedBackend } from './scripted-backend.ts';

let backend: ScriptedBackend;
let remote: BackendControl;
let pool: Pool;

beforeAll(async () => {
  backend = await startScriptedBackend({
    listen: ['127.0.0.1:0', '127.0.0.1:0'],
    control: '127.0.0.1:0',
  });
  remote = await connectScriptedBackend(backend.controlUrl ?? '');
  pool = new Pool(backend.listeners[0] ?? '');
});

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
  ['in process', () => backend],
  ['over the control port', () => remote],
] as const)('control %s', (_, get) => {
  test('plays a script in order and repeats its last behaviour', async () => {
    const id = await get().script([respond(500, { a: 1 }), respond(429), complete({ text: 'ok' })]);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await chat(id)).status);
    expect(statuses).toEqual([500, 429, 200, 200]);
    expect(await get().hits(id)).toHaveLength(4);
  });

  test('tells of each hit what came, where and when', async () => {
    const id = await get().script([complete()]);
    const before = Date.now();
    await chat(id);
    await get().waitFor(id, { ended: 1 });
    const [hit] = await get().hits(id);
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
    const id = await get().script([complete()]);
    await chat(id);
    const error = await get()
      .waitFor(id, { hits: 2 }, { timeoutMs: 20 })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimedOut);
    expect(error).toMatchObject({ counts: { hits: 1 } });
  });

  test('ends a wait when its signal says so', async () => {
    const id = await get().script([complete()]);
    const abort = new AbortController();
    const waiting = get().waitFor(id, { hits: 1 }, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('holds requests until released, one by one and then for good', async () => {
    const id = await get().script([stall()]);
    const all = Promise.all([chat(id), chat(id), chat(id)]);
    expect(await get().waitFor(id, { held: 3 })).toEqual({ hits: 3, held: 3, ended: 0 });
    await get().release(id, 1);
    expect(await get().waitFor(id, { ended: 1 })).toEqual({ hits: 3, held: 2, ended: 1 });
    await get().release(id);
    expect((await all).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await chat(id)).status).toBe(200);
  });

  test('sees a client leave a held request', async () => {
    const id = await get().script([stall()]);
    const abort = new AbortController();
    const left = chat(id, abort.signal);
    await get().waitFor(id, { held: 1 });
    abort.abort();
    await expect(left).rejects.toThrow(/abort/i);
    expect(await get().waitFor(id, { ended: 1 })).toMatchObject({ held: 0 });
    expect((await get().hits(id)).map(({ end }) => end)).toEqual(['left']);
  });

  test('refuses a script that it cannot play or does not know, and says why', async () => {
    const wrong = get().script([{ kind: 'respond', status: 99, json: {} }]);
    await expect(wrong).rejects.toThrow(/status/);
    await expect(wrong).rejects.toBeInstanceOf(Refused);
    await expect(get().counts('nothing')).rejects.toThrow('"nothing"');
  });

  test('sets the load of one listener or of all, and takes it back', async () => {
    const metrics = async () =>
      Promise.all(
        backend.listeners.map(async (url) => (await fetch(new URL('/metrics', url))).text()),
      );
    await get().setPressure({ running: 7, waiting: 3, cacheUsage: 0.9 }, backend.listeners[1]);
    const [first, second] = await metrics();
    expect(first).toMatch(/^vllm:num_requests_running\{.*\} 0$/m);
    expect(second).toMatch(/^vllm:num_requests_running\{.*\} 7$/m);
    expect(second).toMatch(/^vllm:num_requests_waiting\{.*\} 3$/m);
    expect(second).toMatch(/^vllm:gpu_cache_usage_perc\{.*\} 0\.9$/m);
    await get().setPressure(null);
    expect((await metrics())[1]).toMatch(/^vllm:num_requests_running\{.*\} 0$/m);
    await expect(get().setPressure(null, 'http://nowhere')).rejects.toThrow(/No listener/);
  });

  test('counts what reached a listener, also without a script', async () => {
    const of = async () => (await get().totals())[0];
    const before = await of();
    await chat('unknown');
    const after = await of();
    expect(after?.hits).toBe((before?.hits ?? 0) + 1);
    expect(after?.routes.chat).toBe((before?.routes.chat ?? 0) + 1);
  });
});

let local: ScriptedBackend;
const clients: BackendControl[] = [];

beforeAll(async () => {
  local = await startScriptedBackend({ listen: ['127.0.0.1:0'], control: '127.0.0.1:0' });
  for (let count = 0; count < 2; count += 1) {
    clients.push(await connectScriptedBackend(local.controlUrl ?? ''));
  }
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await local.close();
});

/** True if the promise has settled after some round trips over loopback. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  for (const client of [...clients, ...clients, ...clients]) await client.totals();
  return settled;
}

describe.for([
  ['in the process of the backend', () => [local, local] as const],
  ['over the control port', () => [clients[0] ?? local, clients[1] ?? local] as const],
  ['in one process and over the port', () => [local, clients[0] ?? local] as const],
] as const)('turns %s', ([, both]) => {
  test('are taken beside one another', async () => {
    const [one, other] = both();
    const turns = await Promise.all([one.turn(false), other.turn(false)]);
    expect(turns).toHaveLength(2);
    for (const leave of turns) leave();
  });

  test('that are alone wait for all others, and all others for them', async () => {
    const [one, other] = both();
    const first = await one.turn(false);
    const alone = other.turn(true);
    expect(await isSettled(alone)).toBe(false);
    const after = one.turn(false);
    first();
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
  const alone = clients[0]?.turn(true, stop.signal).catch((error: unknown) => error);
  stop.abort(new Error('enough'));
  await alone;
  const next = local.turn(false);
  expect(await isSettled(next)).toBe(true);
  (await next)();
  first();
});
