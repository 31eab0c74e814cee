import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Secret } from '../target/keys.ts';
import { jsonBody } from './body.ts';
import { BudgetSpent } from './budget.ts';
import { listening } from './listening.test.support.ts';
import { answering, budgetWith, http, httpClient, tcp } from './client.test.support.ts';

describe('what is recorded', () => {
  test('is the exchange as it was on the wire, header order and case included', async () => {
    const url = await http((_request, response) => {
      response.writeHead(200, ['X-One', '1', 'x-TWO', '2', 'X-One', '3']);
      response.end('{"a":1}');
    });
    const exchange = await httpClient(url).send({
      query: { q: 'a b', list: [1, 2], none: undefined },
    });
    expect(exchange.request).toMatchObject({ path: '/things', query: 'q=a%20b&list=1&list=2' });
    expect(exchange.response?.headers.slice(0, 3)).toEqual([
      ['X-One', '1'],
      ['x-TWO', '2'],
      ['X-One', '3'],
    ]);
    expect(jsonBody(exchange)).toEqual({ ok: true, value: { a: 1 } });
    expect(exchange.ending).toBe('complete');
  });

  test('never holds a key, though the key is sent', async () => {
    let received = '';
    const url = await http((request, response) => {
      received = request.headers.authorization ?? '';
      response.end('{}');
    });
    const exchange = await httpClient(url).send({
      headers: [['X-Extra', ['t:', new Secret('key:other', 'zzz-secret')]]],
    });
    expect(received).toBe('Bearer sk-very-secret');
    expect(exchange.request.headers).toContainEqual(['Authorization', 'Bearer ‹key:primary›']);
    expect(JSON.stringify(exchange)).not.toMatch(/very-secret|zzz-secret/u);
  });

  test('a path is sent as it is, not tidied', async () => {
    let received = '';
    const url = await http((request, response) => {
      received = request.url ?? '';
      response.end('{}');
    });
    await httpClient(url).send({ path: '/a/../b', query: 'x=%zz' });
    expect(received).toBe('/v1/a/../b?x=%zz');
  });
});

const OK = 'HTTP/1.1 200 OK\r\n';

describe('how an exchange ends', () => {
  test('a redirect is an answer like any other', async () => {
    const { url, asked } = await answering(302);
    expect((await httpClient(url).send()).response?.status).toBe(302);
    expect(asked()).toBe(1);
  });

  test.for([
    ['a body shorter than its length', `${OK}Content-Length: 10\r\n\r\nabc`, 'cut-short'],
    ['an unfinished chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, 'cut-short'],
    ['no answer at all', '', 'cut-short'],
    ['something else than HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'malformed'],
  ] as const)('%s', async ([, answer, ending]) => {
    const url = await tcp((socket) => socket.end(answer));
    const exchange = await httpClient(url).send();
    expect(exchange.ending).toBe(ending);
    expect(exchange.cause).toBeTruthy();
  });

  test('a reset', async () => {
    const url = await tcp((socket) => socket.resetAndDestroy());
    expect((await httpClient(url).send()).ending).toBe('reset');
  });

  test('silence, after our own time limit', async () => {
    const url = await tcp(() => {});
    expect((await httpClient(url).send({ timeoutMs: 50 })).ending).toBe('timeout');
  });

  test('nobody there', async () => {
    const { port, close } = await listening(createTcpServer());
    await close();
    expect((await httpClient(`http://127.0.0.1:${port}/v1`).send()).ending).toBe('unreachable');
  });

  test('whole, where the server closes a connection that rests without a word of it', async () => {
    const used = new Set<Socket>();
    const url = await tcp((socket) => {
      used.add(socket);
      socket.write(`${OK}Content-Length: 0\r\n\r\n`);
    });
    const { send } = httpClient(url);
    for (const restMs of [0, 10, 500]) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      expect((await send({ method: 'POST' })).ending).toBe('complete');
    }
    // A request may be lost if the server closes the connection meanwhile, so long idle connections are not reused.
    expect(used.size).toBe(2);
  });

  test('a body without end, at our own size limit', async () => {
    const url = await http((_request, response) => {
      const fill = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', fill);
      fill();
    });
    const exchange = await httpClient(url, { maxBytes: 200_000 }).send();
    expect(exchange.ending).toBe('too-large');
  });

  test('a body in more pieces than are read is not too large', async () => {
    const url = await http((_request, response) => {
      const pieces = '1\r\n7\r\n'.repeat(100_001);
      response.socket?.end(`${OK}Transfer-Encoding: chunked\r\n\r\n${pieces}`);
    });
    const exchange = await httpClient(url, { maxBytes: 200_000 }).send();
    expect(exchange.ending).toBe('unread');
  });

  test('we hang up in the middle of a stream', async () => {
    const url = await http((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: one\n\n');
    });
    const exchange = await httpClient(url).send({ onChunk: () => 'hang-up' });
    expect(exchange.ending).toBe('aborted');
    expect(Buffer.from(exchange.response?.body ?? []).toString()).toBe('data: one\n\n');
  });
});

describe('bytes as they are', () => {
  test('lengths that lie, and the answer that comes before the body is sent', async () => {
    const url = await http((_request, response) => {
      response.writeHead(413, { Connection: 'close' }).end('too large');
    });
    const exchange = await httpClient(url).sendBytes({
      headers: [['Content-Length', '1000000']],
      pieces: [Buffer.from('only this')],
    });
    expect(exchange.response?.status).toBe(413);
    expect(exchange.ending).toBe('complete');
    expect(JSON.stringify(exchange.request)).not.toContain('very-secret');
  });
});

describe('what may not leave', () => {
  test('is not sent', async () => {
    const { url, asked } = await answering(200);
    const refusing = httpClient(url, {
      check: () => {
        throw new Error('not ours');
      },
    });
    await expect(refusing.send({ method: 'POST' })).rejects.toThrow('not ours');
    await expect(refusing.sendBytes()).rejects.toThrow('not ours');
    expect(asked()).toBe(0);
  });

  test('the budget ends it', async () => {
    const { url } = await answering(200);
    const poor = httpClient(url, { budget: budgetWith({ requests: 2 }) });
    await poor.send();
    await poor.send();
    await expect(poor.send()).rejects.toThrow(BudgetSpent);
    await expect(poor.send()).rejects.toThrow(/^the budget of 2 requests is spent/u);
  });

  test('what the target did last leads when the budget ends', async () => {
    const url = await http((_request, response) => response.socket?.destroy());
    const poor = httpClient(url, { budget: budgetWith({ requests: 1 }) });
    await poor.send();
    await expect(poor.send()).rejects.toThrow(
      /^GET .* ended "cut-short".*, and the budget of 1 r/u,
    );
  });

  test('a request that waits when the time is over is told with it', async () => {
    const url = await http(() => {});
    const poor = httpClient(url, { budget: budgetWith({ minutes: 0.002 }) });
    const spent = await poor.send().catch((error: unknown) => error);
    if (!(spent instanceof BudgetSpent)) throw spent;
    expect(spent.waiting).toMatchObject({ ending: 'timeout' });
    // A busy machine waits a little longer than the budget.
    const seconds = ((spent.waiting?.durationMs ?? 0) / 1_000).toFixed(1);
    expect(spent.message).toMatch(/^GET /u);
    expect(spent.message).toContain(` waited ${seconds} s for an answer, and the budget`);
  });

  test('never more at once than the budget allows', async () => {
    let now = 0;
    let most = 0;
    const url = await http((_request, response) => {
      now += 1;
      most = Math.max(most, now);
      setImmediate(() => {
        now -= 1;
        response.end('{}');
      });
    });
    const narrow = httpClient(url, { budget: budgetWith({ concurrency: 2 }) });
    await Promise.all(Array.from({ length: 12 }, async () => narrow.send()));
    expect(most).toBe(2);
  });
});
