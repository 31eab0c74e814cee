/** Questions over one upgraded connection, and what happens where there is none. */

import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

import { afterEach, expect, test } from 'vitest';
import { Pool } from 'undici';

import { connectScriptedBackend, ControlUnreachable } from './control-client.ts';
import { ControlLine } from './control-line.ts';
import { LINES_PROTOCOL } from './control-lines.ts';
import { listenOn, stop } from './address.ts';
import { startScriptedBackend } from './scripted-backend.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function backend(token?: string): Promise<string> {
  const started = await startScriptedBackend({ listen: [], control: '127.0.0.1:0', token });
  endings.push(() => started.close());
  return started.controlUrl ?? '';
}

async function lineTo(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ line: ControlLine | undefined; ended: Promise<void> }> {
  const pool = new Pool(url);
  endings.push(() => pool.destroy());
  let onEnd = (): void => undefined;
  const ended = new Promise<void>((resolve) => (onEnd = resolve));
  const line = await ControlLine.open(pool, '', headers, onEnd);
  endings.push(async () => line?.close());
  return { line, ended };
}

async function serving(server: Server): Promise<string> {
  endings.push(() => stop(server));
  return listenOn(server, '127.0.0.1:0');
}

test('answers find their questions, in whatever order they come', async () => {
  const { line } = await lineTo(await backend());
  const made = await line?.ask('POST', '/scripts', { behaviours: [{ kind: 'hang' }] });
  expect(made).toEqual({ status: 201, value: { id: expect.any(String) } });
  const id = /"id":"(\w+)"/.exec(JSON.stringify(made?.value))?.[1] ?? '';
  const wait = { condition: { hits: 1 }, timeoutMs: 150 };
  const order: string[] = [];
  const slow = line?.ask('POST', `/scripts/${id}/wait`, wait).then((answer) => {
    order.push('slow');
    return answer;
  });
  const fast = await line?.ask('GET', '/totals', undefined);
  order.push('fast');
  expect(fast).toEqual({ status: 200, value: { totals: [] } });
  expect(await slow).toMatchObject({ status: 200, value: { met: false } });
  expect(order).toEqual(['fast', 'slow']);
});

test('an error is an answer, too', async () => {
  const { line } = await lineTo(await backend());
  expect(await line?.ask('GET', '/scripts/nothing/hits', undefined)).toMatchObject({
    status: 404,
    value: { error: { name: 'UnknownScript' } },
  });
});

test('is not opened without the token', async () => {
  const url = await backend('a token');
  expect((await lineTo(url)).line).toBeUndefined();
  expect((await lineTo(url, { authorization: 'Bearer a token' })).line).toBeDefined();
});

test('where nothing is upgraded, each question is a request of its own', async () => {
  const asked: string[] = [];
  // A proxy of this kind drops the wish to upgrade and hands the rest on.
  const url = await serving(
    createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ listeners: ['http://engine'] }));
    }),
  );
  const control = await connectScriptedBackend(url);
  endings.push(() => control.close());
  expect(control.listeners).toEqual(['http://engine']);
  expect(asked).toContain('GET /');
});

/** A control port that loses the first connections with their first question; `opened` tells how many came. */
async function losing(lost: number): Promise<{ url: string; opened: () => number }> {
  let connections = 0;
  const server = createServer();
  server.on('upgrade', (_request, socket) => {
    connections += 1;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINES_PROTOCOL}\r\n\r\n`,
    );
    if (connections <= lost) socket.once('data', () => socket.destroy());
    else {
      socket.once('data', () =>
        socket.end('{"n":1,"status":200,"value":{"listeners":["http://engine"]}}\n'),
      );
    }
  });
  return { url: await serving(server), opened: () => connections };
}

test('what was asked when the connection is lost is asked once more over another', async () => {
  const { url, opened } = await losing(1);
  const control = await connectScriptedBackend(url);
  endings.push(() => control.close());
  expect(control.listeners).toEqual(['http://engine']);
  expect(opened()).toBe(2);
});

test('what is lost twice fails, and the next question opens another', async () => {
  const { url, opened } = await losing(2);
  await expect(connectScriptedBackend(url)).rejects.toThrow(ControlUnreachable);
  expect(opened()).toBe(2);
  const control = await connectScriptedBackend(url);
  endings.push(() => control.close());
  expect(opened()).toBe(3);
});

test('a line that is no answer ends the connection', async () => {
  const server = createServer();
  server.on('upgrade', (_request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINES_PROTOCOL}\r\n\r\n`,
    );
    socket.once('data', () => socket.write('hello\n')).once('end', () => socket.destroy());
  });
  const { line, ended } = await lineTo(await serving(server));
  await expect(line?.ask('GET', '/', undefined)).rejects.toThrow(/ended/);
  await ended;
});

test('a question that cannot be read ends the connection', async () => {
  const url = await backend();
  const pool = new Pool(url);
  endings.push(() => pool.destroy());
  const { socket } = await pool.upgrade({ path: '/questions', protocol: LINES_PROTOCOL });
  socket.resume().write('no question\n');
  await once(socket, 'close');
  expect(socket.destroyed).toBe(true);
});
