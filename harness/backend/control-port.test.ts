import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { isOfThisMachine, listenOn, namesThisMachine, stop } from './address.ts';
import { connectScriptedBackend, ControlUnreachable } from './control-client.ts';
import { startScriptedBackend } from './scripted-backend.ts';
import { respond } from './behaviour.ts';
import { markerOf } from './engine/request.ts';

const ports = { listen: ['127.0.0.1:0'], control: '127.0.0.1:0' };
const open = await startScriptedBackend(ports);
const locked = await startScriptedBackend({ ...ports, token: 'a token' });
afterAll(async () => {
  await open.close();
  await locked.close();
});

describe('control port', () => {
  async function ask(path: string, init: RequestInit = {}) {
    const response = await fetch(new URL(path, open.controlUrl ?? ''), init);
    return { status: response.status, value: await response.json() };
  }

  const json = { 'content-type': 'application/json' };

  test('lists its listeners and verbs', async () => {
    const { status, value } = await ask('/');
    expect(status).toBe(200);
    expect(value).toEqual({
      listeners: open.listeners,
      verbs: expect.arrayContaining(['POST /script', 'POST /totals']),
    });
  });

  test.each([
    ['what is no verb', '/nowhere', {}, 404],
    ['a body that is no JSON', '/script', { method: 'POST', headers: json, body: '{' }, 400],
    ['a question of another shape', '/hits', { method: 'POST', headers: json, body: '{}' }, 400],
    ['a question that is not labelled JSON', '/script', { method: 'POST', body: '{}' }, 415],
  ] as const)('answers %s with an error that says what to do', async (_, path, init, expected) => {
    const { status, value } = await ask(path, init);
    expect(status).toBe(expected);
    expect(value).toMatchObject({ error: { message: expect.stringMatching(/.{15}/) } });
  });

  test('questions of one turn go together, and one that is refused spoils no other', async () => {
    const control = await connectScriptedBackend(open.controlUrl ?? '');
    const id = await control.script([respond(200)]);
    const answers = await Promise.allSettled([
      control.counts(id),
      control.counts('nothing'),
      control.hits(id),
      // A call that plain JavaScript can make.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      control.script([{ kind: 'dances' } as unknown as ReturnType<typeof respond>]),
    ]);
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { hits: 0, held: 0, ended: 0 } },
      {
        status: 'rejected',
        reason: { name: 'Refused', message: expect.stringContaining('nothing') },
      },
      { status: 'fulfilled', value: [] },
      { status: 'rejected', reason: { name: 'Refused' } },
    ]);
    await control.close();
  });

  test.each([
    ['of what is no verb', [{ name: 'nowhere', question: {} }], [404]],
    ['of one that may last', [{ name: 'turn', question: { alone: true } }], [404]],
    ['of none', [], []],
  ])('several questions %s', async (_, questions, expected) => {
    const body = JSON.stringify({ questions });
    expect(await ask('/several', { method: 'POST', headers: json, body })).toMatchObject({
      status: 200,
      value: expected.map((status) => ({ status })),
    });
  });

  test('with a token, answers only a client that gives it', async () => {
    const url = locked.controlUrl ?? '';
    expect((await fetch(url)).status).toBe(401);
    await expect(connectScriptedBackend(url)).rejects.toThrow(/token/);
    await expect(connectScriptedBackend(url, { token: 'b token' })).rejects.toThrow(/token/);
    const control = await connectScriptedBackend(url, { token: 'a token' });
    expect(control.listeners).toEqual(locked.listeners);
    await control.close();
  });

  test.each([
    [isOfThisMachine, ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'], true],
    [isOfThisMachine, ['10.0.0.1', '::ffff:10.127.0.1', ''], false],
    [namesThisMachine, ['localhost:9190', 'LOCALHOST', '[::1]:9190', '127.0.0.1:9190'], true],
    [namesThisMachine, ['evil.example:9190', '127.0.0.1.evil.example', ''], false],
  ])('%o of each of %j is %s', (says, hosts, expected) => {
    expect(hosts.map(says)).toEqual(hosts.map(() => expected));
  });

  test.each([
    ['localhost', 200],
    ['evil.example', 403],
  ])('asked as %s it answers %i', async (host, expected) => {
    const { port } = new URL(open.controlUrl ?? '');
    const status = await new Promise((answers, failed) => {
      get({ port, host: '127.0.0.1', headers: { host } }, (answer) => {
        answer.resume();
        answers(answer.statusCode);
      }).on('error', failed);
    });
    expect(status).toBe(expected);
  });

  test('says so when there is no control port', async () => {
    const engine = open.listeners[0] ?? '';
    await expect(connectScriptedBackend(engine)).rejects.toThrow(ControlUnreachable);
    await expect(connectScriptedBackend('nonsense')).rejects.toThrow(/not the URL/);
    const gone = await startScriptedBackend({ listen: [], control: '127.0.0.1:0' });
    await gone.close();
    await expect(connectScriptedBackend(gone.controlUrl ?? '')).rejects.toThrow(/running/);
  });

  test('an address that cannot be used is named, and nothing is left running', async () => {
    const taken = new URL(open.listeners[0] ?? '').host;
    const starting = async (...listen: string[]) => startScriptedBackend({ listen });
    await expect(starting('127.0.0.1:0', taken)).rejects.toThrow(taken);
    await expect(starting('9100')).rejects.toThrow(/host:port/);
    await expect(starting('127.0.0.1:99999')).rejects.toThrow(/host:port/);
  });

  describe('a control port that loses connections', () => {
    /** A server that destroys the connections of the first `lost` requests and counts all requests. */
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
});

test('a client that goes in the middle of its request is a hit that used no behaviour', async () => {
  const backend = await startScriptedBackend({ listen: ['127.0.0.1:0'] });
  const id = await backend.script([respond(500), respond(429)]);
  const [engine = ''] = backend.listeners;
  const { hostname, port } = new URL(engine);
  const socket = connect(Number(port), hostname);
  const partial = `POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n${markerOf(id)}`;
  socket.write(partial, () => socket.destroySoon());
  await backend.waitFor(id, { ended: 1 });
  expect((await backend.hits(id)).map(({ end }) => end)).toEqual(['left']);
  const answer = await fetch(new URL('/v1/messages', engine), {
    method: 'POST',
    body: markerOf(id),
  });
  expect(answer.status).toBe(500);
  await backend.close();
});
