/** The control port as anything that speaks HTTP meets it. */

import { createServer } from 'node:http';
import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { listenOn, stop } from './address.ts';
import { connectScriptedBackend, ControlUnreachable } from './control-client.ts';
import { isLoopback } from './control-server.ts';
import { startScriptedBackend, type ScriptedBackend } from './scripted-backend.ts';

let open: ScriptedBackend;
let locked: ScriptedBackend;

beforeAll(async () => {
  const listen = ['127.0.0.1:0'];
  open = await startScriptedBackend({ listen, control: '127.0.0.1:0' });
  locked = await startScriptedBackend({ listen, control: '127.0.0.1:0', token: 'a token' });
});

afterAll(async () => {
  await open.close();
  await locked.close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(new URL(path, open.controlUrl ?? ''), init);
  return { status: response.status, value: await response.json() };
}

const json = { 'content-type': 'application/json' };

test('lists its listeners and end points', async () => {
  const { status, value } = await ask('/');
  expect(status).toBe(200);
  expect(value).toMatchObject({
    listeners: open.listeners,
    endpoints: expect.arrayContaining(['GET /totals -> {totals}']),
  });
});

test('takes a script and names it', async () => {
  const body = JSON.stringify({ behaviours: [{ kind: 'complete' }] });
  const { status, value } = await ask('/scripts', { method: 'POST', headers: json, body });
  expect(status).toBe(201);
  expect(value).toEqual({ id: expect.stringMatching(/^[0-9a-f]{10}$/) });
});

test.each([
  ['an unknown end point', '/nowhere', {}, 404],
  ['an unknown script', '/scripts/nothing/hits', {}, 404],
  ['a body that is no JSON', '/scripts', { method: 'POST', headers: json, body: '{' }, 400],
  ['a script of another shape', '/scripts', { method: 'POST', headers: json, body: '{}' }, 400],
  ['a question that is not labelled JSON', '/scripts', { method: 'POST', body: '{}' }, 415],
] as const)('answers %s with an error that says what to do', async (_, path, init, expected) => {
  const { status, value } = await ask(path, init);
  expect(status).toBe(expected);
  expect(value).toMatchObject({
    error: { name: expect.any(String), message: expect.stringMatching(/.{15}/) },
  });
});

test('with a token, answers only who gives it', async () => {
  const url = locked.controlUrl ?? '';
  expect((await fetch(url)).status).toBe(401);
  await expect(connectScriptedBackend(url)).rejects.toThrow(/token/);
  await expect(connectScriptedBackend(url, { token: 'b token' })).rejects.toThrow(/token/);
  const control = await connectScriptedBackend(url, { token: 'a token' });
  expect(control.listeners).toEqual(locked.listeners);
  await control.close();
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['::ffff:10.127.0.1', false],
  ['', false],
])('%s is of this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test('says so when there is no control port', async () => {
  await expect(connectScriptedBackend(open.listeners[0] ?? '')).rejects.toThrow(ControlUnreachable);
  await expect(connectScriptedBackend('nonsense')).rejects.toThrow(/not the URL/);
  const gone = await startScriptedBackend({ listen: [], control: '127.0.0.1:0' });
  await gone.close();
  await expect(connectScriptedBackend(gone.controlUrl ?? '')).rejects.toThrow(/running/);
});

test('an address that cannot be used is named, and nothing is left running', async () => {
  const taken = new URL(open.listeners[0] ?? '').host;
  await expect(startScriptedBackend({ listen: ['127.0.0.1:0', taken] })).rejects.toThrow(taken);
  await expect(startScriptedBackend({ listen: ['9100'] })).rejects.toThrow(/host:port/);
  await expect(startScriptedBackend({ listen: ['127.0.0.1:99999'] })).rejects.toThrow(/host:port/);
});

test('closing ends what is open', async () => {
  const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'] });
  const id = await backend.script([{ kind: 'hang' }]);
  const socket = connect(Number(new URL(backend.listeners[0] ?? '').port), '127.0.0.1');
  const closed = new Promise((resolve) => {
    socket.on('close', resolve).on('error', () => {});
  });
  const body = `[[plumbline:${id}]]`;
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await backend.waitFor(id, { held: 1 });
  socket.resume();
  await backend.close();
  await closed;
  expect(socket.destroyed).toBe(true);
});

describe('a control port that loses connections', () => {
  /** Loses the first requests; `asked` tells how many came. */
  async function losing(lost: number) {
    let asked = 0;
    const server = createServer((request, response) => {
      asked += 1;
      if (asked <= lost) request.socket.destroy();
      else response.end(JSON.stringify({ listeners: ['http://engine'] }));
    });
    return { url: await listenOn(server, '127.0.0.1:0'), asked: () => asked, server };
  }

  test('is asked once more', async () => {
    const { url, asked, server } = await losing(1);
    const control = await connectScriptedBackend(url);
    expect(control.listeners).toEqual(['http://engine']);
    expect(asked()).toBe(2);
    await control.close();
    await stop(server);
  });

  test('and is not asked a third time', async () => {
    const { url, asked, server } = await losing(2);
    await expect(connectScriptedBackend(url)).rejects.toThrow(ControlUnreachable);
    expect(asked()).toBe(2);
    await stop(server);
  });
});
