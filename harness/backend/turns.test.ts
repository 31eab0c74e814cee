import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectScriptedBackend } from './control-client.ts';
import type { BackendControl } from './control.ts';
import { startScriptedBackend, type ScriptedBackend } from './scripted-backend.ts';

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

/** Whether the promise is settled by now, once what is under way on the loopback has had its time. */
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

test('whoever goes away gives its turn back', async () => {
  const passing = await connectScriptedBackend(local.controlUrl ?? '');
  await passing.turn(true);
  const next = local.turn(false);
  expect(await isSettled(next)).toBe(false);
  await passing.close();
  (await next)();
});

test('whoever waits no longer keeps nobody from a turn', async () => {
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
