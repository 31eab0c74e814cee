/** Answers that are no HTTP: none is ever called complete, whichever way it is read. */

import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialled, observed, until } from '../passive/raw.test.support.ts';
import { sendRaw } from './raw-transport.ts';
import { createTransport } from './transport.ts';
import { type Listening, listening } from './listening.test.support.ts';

const BODY = '{"a":1}';
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';

const malformed: Readonly<Record<string, string>> = {
  'a blank before the colon': `${OK}Content-Length : ${BODY.length}\r\n\r\n${BODY}`,
  'two lengths': `${OK}${LENGTH}Content-Length: 3\r\n\r\n${BODY}`,
  'a length beside chunks': `${OK}${LENGTH}${CHUNKED}\r\n7\r\n${BODY}\r\n0\r\n\r\n`,
  'lines that end in LF alone': `HTTP/1.1 200 OK\nContent-Length: ${BODY.length}\n\n${BODY}`,
  'NUL in a value': `${OK}X-A: a\0b\r\n${LENGTH}\r\n${BODY}`,
  'a length that is no number': `${OK}Content-Length: seven\r\n\r\n${BODY}`,
  'rubbish behind the size of a chunk': `${OK}${CHUNKED}\r\n7 rubbish\r\n${BODY}\r\n0\r\n\r\n`,
  'a status of four digits': `HTTP/1.1 2000 OK\r\n${LENGTH}\r\n${BODY}`,
  'a line without a colon': `${OK}no colon\r\n${LENGTH}\r\n${BODY}`,
  'a folded header': `${OK}X-A: one\r\n two\r\n${LENGTH}\r\n${BODY}`,
  'a length with a sign': `${OK}Content-Length: +${BODY.length}\r\n\r\n${BODY}`,
  'another version of HTTP': `HTTP/1.2 200 OK\r\n${LENGTH}\r\n${BODY}`,
};

let script = '';
const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', () => socket.end(script, 'latin1'));
});
const transport = createTransport();
let listener: Listening;
let port = 0;

beforeAll(async () => {
  listener = await listening(server);
  ({ port } = listener);
});
afterAll(async () => {
  await transport.close();
  await listener.close();
});

const bounds = { timeoutMs: 5_000, maxBytes: 100_000 };
const REQUEST = 'GET /v1/regions HTTP/1.1\r\nHost: localhost\r\n\r\n';
const send = {
  bytes: async () =>
    sendRaw({ origin: `http://127.0.0.1:${port}`, pieces: [Buffer.from(REQUEST)], ...bounds }),
  request: async () =>
    transport.send({
      origin: `http://127.0.0.1:${port}`,
      method: 'GET',
      path: '/v1/regions',
      headers: [],
      body: undefined,
      ...bounds,
    }),
};

test.for([
  ['two lengths', malformed['two lengths']],
  ['a length beside chunks', malformed['a length beside chunks']],
  [
    'a switch that nobody asked for',
    'HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  ],
])('%s is malformed to an ordinary request', async ([, answer = '']) => {
  script = answer;
  expect((await send.request()).ending).toBe('malformed');
});

describe('an answer with', () => {
  test.each(Object.keys(malformed))('%s is malformed', async (what) => {
    script = malformed[what] ?? '';
    expect((await send.bytes()).ending).toBe('malformed');
    expect((await send.request()).ending).not.toBe('complete');
  });

  test.each(Object.keys(malformed))('%s passes the proxy, and is no exchange', async (what) => {
    script = malformed[what] ?? '';
    const { proxy, port: through, exchanges } = await observed(port);
    const client = dialled(through);
    client.write(REQUEST);
    expect(await until(client, script.slice(-5))).toBe(script);
    client.end();
    await new Promise((closed) => client.once('close', closed));
    await proxy.close(0);
    expect(exchanges.filter(({ ending }) => ending === 'complete')).toEqual([]);
    expect(proxy.counts().notHttp).toBe(1);
  });
});

test.for(['bytes', 'request'] as const)(
  'what is no HTTP is shown, but for a word that is cut off (%s)',
  async (way) => {
    script = `220 mail "example" ESMTP\r\n${'more '.repeat(10)}sk-${'secret'.repeat(20)}`;
    const { ending, cause } = await send[way]();
    expect(ending).toBe('malformed');
    expect(cause).toContain(String.raw`it sent "220 mail \"example\" ESMTP\r\nmore more`);
    expect(cause).not.toContain('sk-');
  },
);

test('header lines keep their order and spelling, and interim answers are skipped', async () => {
  script = `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}x-B: 2\r\nX-a:1\r\nx-B: 3\r\n${LENGTH}\r\n${BODY}`;
  const { ending, response } = await send.bytes();
  expect(ending).toBe('complete');
  expect(response?.headers.slice(0, 3)).toEqual([
    ['x-B', '2'],
    ['X-a', '1'],
    ['x-B', '3'],
  ]);
  expect(Buffer.from(response?.body ?? []).toString()).toBe(BODY);
});

test('a body without a length ends with the connection, one with a length does not', async () => {
  script = `${OK}\r\n${BODY}`;
  expect((await send.bytes()).ending).toBe('complete');
  script = `${OK}Content-Length: 99\r\n\r\n${BODY}`;
  const cut = await send.bytes();
  expect(cut.ending).toBe('cut-short');
  expect(Buffer.from(cut.response?.body ?? []).toString()).toBe(BODY);
});
