/** Raw requests to a loopback port with another host name, or for another target. */

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import { startScriptedBackend } from '../backend/scripted-backend.ts';
import { startCompute } from '../reference/compute/start.ts';
import { startRouter } from '../reference/router/start.ts';
import { drained, observed, rawServer } from './raw.test.support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
const ports = new Map<string, number>();
const heard: string[] = [];
let strangers = 0;
let stranger = 0;

beforeAll(async () => {
  const target = await rawServer((socket) => {
    socket.on('data', (bytes: Buffer) => {
      heard.push(bytes.toString('latin1'));
      socket.end(OK);
    });
  });
  const other = await rawServer((socket) => {
    strangers += 1;
    socket.end(OK);
  });
  stranger = other.port;
  const headers = [['X-Inside', 'secret']] as const;
  const auto = await observed(target.port, { headers });
  const keep = await observed(target.port, { host: 'keep' });
  const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'], control: '127.0.0.1:0' });
  const compute = await startCompute();
  const router = await startRouter({ engines: backend.listeners });
  const portOf = (url: string | null | undefined): number => Number(new URL(url ?? '').port);
  ports
    .set('observe', auto.port)
    .set('observe --host keep', keep.port)
    .set('engine', portOf(backend.listeners[0]))
    .set('control', portOf(backend.controlUrl))
    .set('compute', portOf(compute.baseUrl))
    .set('router', portOf(router.baseUrl));
  return async () => {
    for (const one of [backend, compute, router]) await one.close();
    for (const { proxy } of [keep, auto]) await proxy.close(0);
    for (const one of [other, target]) await one.close();
  };
});

/** The status of the response to a raw request. */
async function asked(server: string, head: string): Promise<number> {
  const socket = connect(ports.get(server) ?? 0, '127.0.0.1');
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  const { bytes } = await drained(socket);
  return Number(bytes.toString('latin1').split(' ')[1]);
}

describe('Host', () => {
  test.for([
    ['observe', 421],
    ['engine', 421],
    ['control', 403],
    ['compute', 421],
    ['router', 421],
  ] as const)(
    '%s on loopback refuses foreign names and takes its own',
    async ([server, refused]) => {
      for (const name of [
        'evil.example',
        'evil.example:80',
        '127.0.0.1.evil.example',
        '10.0.0.1',
      ]) {
        expect(await asked(server, `GET /v1/models HTTP/1.1\r\nHost: ${name}`)).toBe(refused);
      }
      for (const name of ['localhost', '127.0.0.1', '[::1]:80', 'LOCALHOST:1'])
        expect(await asked(server, `GET /v1/models HTTP/1.1\r\nHost: ${name}`)).not.toBe(refused);
    },
  );

  test('observe refuses before anything of the request has gone on', async () => {
    heard.length = 0;
    const two = 'GET /v1/a HTTP/1.1\r\nHost: localhost\r\nHost: evil.example';
    expect(await asked('observe', two)).toBe(421);
    expect(heard).toEqual([]);
    const kept = 'GET /v1/a HTTP/1.1\r\nHost: api.example';
    expect(await asked('observe --host keep', kept)).toBe(200);
    expect(heard.join('')).toContain('Host: api.example');
  });
});

describe('observe sends to its one target, whatever is asked for', () => {
  test.for([
    (port: number) => `GET http://127.0.0.1:${port}/v1/x HTTP/1.1\r\nHost: localhost`,
    (port: number) => `GET /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${port}`,
    (port: number) => `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}`,
    (port: number) => `GET //127.0.0.1:${port}/v1/x HTTP/1.1\r\nHost: localhost`,
    (port: number) =>
      `OPTIONS * HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: 127.0.0.1:${port}`,
  ])('%s', async (head) => {
    heard.length = 0;
    await asked('observe', head(stranger));
    expect(heard).toHaveLength(1);
    expect(strangers).toBe(0);
  });
});

const elsewhere = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test.skipIf(elsewhere === undefined)('off loopback the control port wants its token', async () => {
  const control = `${elsewhere ?? ''}:0`;
  const open = await startScriptedBackend({ listen: [], control });
  const locked = await startScriptedBackend({ listen: [], control, token: 'a token' });
  const statuses = await Promise.all(
    [
      [open, {}],
      [locked, {}],
      [locked, { authorization: 'Bearer a token' }],
    ].map(async ([backend, headers]) => {
      const answer = await fetch(String(Object(backend).controlUrl), Object({ headers }));
      return answer.status;
    }),
  );
  await Promise.all([open.close(), locked.close()]);
  expect(statuses).toEqual([403, 401, 200]);
});
