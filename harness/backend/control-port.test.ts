import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenOn, stop } from './address.ts';
import { connectScriptedBackend, ControlUnreachable } from './control-client.ts';
import { isLoopback } from './control-server.ts';
import { type ScriptedBackend, startScriptedBackend } from './scripted-backend.ts';
import { complete, events, hang, respond, stall } from './behaviour.ts';
import { deliveryOf, planDelivery } from './delivery.ts';
import { replyTo } from './engine/reply.ts';
import { readRequest } from './engine/request.ts';
import { markerOf } from './body.ts';
import { chunksOf, type RawAnswer, rawPost } from './raw-request.test.support.ts';

describe('control port', () => {
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
    await expect(connectScriptedBackend(open.listeners[0] ?? '')).rejects.toThrow(
      ControlUnreachable,
    );
    await expect(connectScriptedBackend('nonsense')).rejects.toThrow(/not the URL/);
    const gone = await startScriptedBackend({ listen: [], control: '127.0.0.1:0' });
    await gone.close();
    await expect(connectScriptedBackend(gone.controlUrl ?? '')).rejects.toThrow(/running/);
  });

  test('an address that cannot be used is named, and nothing is left running', async () => {
    const taken = new URL(open.listeners[0] ?? '').host;
    await expect(startScriptedBackend({ listen: ['127.0.0.1:0', taken] })).rejects.toThrow(taken);
    await expect(startScriptedBackend({ listen: ['9100'] })).rejects.toThrow(/host:port/);
    await expect(startScriptedBackend({ listen: ['127.0.0.1:99999'] })).rejects.toThrow(
      /host:port/,
    );
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
});

describe('waiting', () => {
  let backend: ScriptedBackend;

  beforeAll(async () => {
    backend = await startScriptedBackend({ listen: ['127.0.0.1:0'] });
  });

  afterAll(async () => backend.close());

  async function ask(id: string): Promise<RawAnswer> {
    const messages = [{ role: 'user', content: markerOf(id) }];
    return rawPost(backend.listeners[0] ?? '', '/v1/chat/completions', { messages });
  }

  describe('waits', () => {
    test('at any place until it is released', async () => {
      const id = await backend.script([stall({ insideEvent: 1, afterBytes: 1 }, { stream: true })]);
      const answer = ask(id);
      await backend.waitFor(id, { held: 1 });
      await backend.release(id);
      expect(chunksOf((await answer).framed).whole).toBe(true);
    });

    test('in silence, and closes once released', async () => {
      const id = await backend.script([hang()]);
      const answer = ask(id);
      await backend.waitFor(id, { held: 1 });
      await backend.release(id);
      expect(await answer).toMatchObject({ head: '', ended: 'end' });
      expect(await backend.counts(id)).toMatchObject({ dropped: 1, left: 0 });
    });

    test('in silence after the head', async () => {
      const id = await backend.script([hang('after-head')]);
      const answer = ask(id);
      await backend.waitFor(id, { held: 1 });
      await backend.release(id);
      const { head, framed } = await answer;
      expect(head).toMatch(/^HTTP\/1\.1 200 /);
      expect(framed).toHaveLength(0);
    });

    test('for a time before the head and between chunks, not before the first', () => {
      const request = readRequest('chat', Buffer.from('{}'));
      const slow = events([{ data: '1' }, { data: '2' }], { delayHeadMs: 5, delayChunkMs: 7 });
      const steps = planDelivery(replyTo(slow, request), deliveryOf(slow));
      expect(steps.map((step) => (step.do === 'wait' ? step.ms : step.do))).toEqual([
        5,
        'head',
        'write',
        7,
        'write',
        'finish',
      ]);
    });

    test('and then answers in full', async () => {
      const slow = events([{ data: '1' }, { data: '2' }], { delayHeadMs: 1, delayChunkMs: 1 });
      const id = await backend.script([slow]);
      expect(chunksOf((await ask(id)).framed)).toMatchObject({
        whole: true,
        chunks: { length: 2 },
      });
      expect(await backend.waitFor(id, { ended: 1 })).toMatchObject({ answered: 1 });
    });

    test('only as long as the client is there', async () => {
      const id = await backend.script([complete({ delayHeadMs: 600_000 })]);
      const abort = new AbortController();
      const gone = fetch(new URL('/v1/chat/completions', backend.listeners[0]), {
        method: 'POST',
        body: JSON.stringify({ prompt: markerOf(id) }),
        signal: abort.signal,
      });
      await backend.waitForHits(id, 1);
      abort.abort();
      await expect(gone).rejects.toThrow(/abort/i);
      expect(await backend.waitFor(id, { left: 1 })).toMatchObject({ open: 0 });
    });
  });

  test('a client that goes in the middle of its request is a hit that used no behaviour', async () => {
    const id = await backend.script([respond(500), respond(429)]);
    const { hostname, port } = new URL(backend.listeners[0] ?? '');
    const socket = connect(Number(port), hostname);
    const partial = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n${markerOf(id)}`;
    socket.write(partial, () => socket.destroySoon());
    await backend.waitFor(id, { left: 1 });
    expect((await backend.hits(id)).map(({ behaviour, end }) => [behaviour, end])).toEqual([
      [null, 'left'],
    ]);
    expect((await ask(id)).head).toMatch(/^HTTP\/1\.1 500 /);
  });

  test('a client that goes in the middle of a stream is seen', async () => {
    const id = await backend.script([stall({ afterEvents: 1 }, { stream: true })]);
    const abort = new AbortController();
    const response = await fetch(new URL('/v1/chat/completions', backend.listeners[0]), {
      method: 'POST',
      body: JSON.stringify({ messages: markerOf(id) }),
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    await backend.waitFor(id, { held: 1 });
    abort.abort();
    expect(await backend.waitFor(id, { left: 1 })).toMatchObject({ held: 0, answered: 0 });
  });
});
