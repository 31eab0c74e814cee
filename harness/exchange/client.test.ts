import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Secret } from '../target/keys.ts';
import { jsonBody } from './body.ts';
import { Budget, BudgetSpent } from './budget.ts';
import { HttpClient, type HttpClientOptions, TransportTrouble } from './client.ts';
import type { Exchange } from './exchange.ts';
import { createTransport } from './transport.ts';
import { listening } from './listening.test.support.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function served(server: Server): Promise<string> {
  const { port, close } = await listening(server);
  closers.push(close);
  return `http://127.0.0.1:${port}/v1`;
}

const http = async (handle: RequestListener): Promise<string> => served(createServer(handle));

/** A server that answers with these statuses in turn, the last of them for ever; and how often it was asked. */
async function answering(...statuses: readonly number[]) {
  let asked = 0;
  const url = await http((_request, response) => {
    const status = statuses[Math.min(asked, statuses.length - 1)] ?? 200;
    asked += 1;
    response.writeHead(status, { Location: 'http://127.0.0.1:9/elsewhere' }).end('{}');
  });
  return { url, asked: () => asked };
}

/** A server that does with the raw socket what it likes. */
const tcp = async (handle: (socket: Socket) => void): Promise<string> =>
  served(createTcpServer((socket) => socket.on('data', () => handle(socket))));

function httpClient(baseUrl: string, over: Partial<HttpClientOptions> = {}) {
  const transport = createTransport();
  closers.push(async () => transport.close());
  const seen: Exchange[] = [];
  const made = new HttpClient({
    contract: 'compute',
    target: 'here',
    baseUrl,
    keys: new Map([['primary', new Secret('key:primary', 'sk-very-secret')]]),
    budget: new Budget({ requests: 50, minutes: 1, concurrency: 4, requestsPerSecond: Infinity }),
    transport: transport.send,
    check: () => {},
    repeat: () => undefined,
    timeoutMs: 5_000,
    maxBytes: 1_000_000,
    ...over,
  });
  return {
    seen,
    send: async (outgoing: Partial<Parameters<HttpClient['send']>[0]> = {}) =>
      made.send({ method: 'GET', path: '/things', as: 'primary', ...outgoing }, (exchange) =>
        seen.push(exchange),
      ),
    sendBytes: async (outgoing: Partial<Parameters<HttpClient['sendBytes']>[0]> = {}) =>
      made.sendBytes(
        { method: 'POST', path: '/things', as: 'primary', pieces: [], ...outgoing },
        (exchange) => seen.push(exchange),
      ),
  };
}

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

describe('how an exchange ends', () => {
  test('a redirect is an answer like any other', async () => {
    const { url, asked } = await answering(302);
    expect((await httpClient(url).send()).response?.status).toBe(302);
    expect(asked()).toBe(1);
  });

  test.for([
    [
      'a body shorter than its length',
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
      'cut-short',
    ],
    [
      'an unfinished chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
      'cut-short',
    ],
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
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const { send } = httpClient(url);
    for (const restMs of [0, 10, 500]) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      expect((await send({ method: 'POST' })).ending).toBe('complete');
    }
    // A request that comes as the server closes may be lost: what has rested for long is not used again.
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
    const poor = httpClient(url, {
      budget: new Budget({ requests: 2, minutes: 1, concurrency: 4, requestsPerSecond: Infinity }),
    });
    await poor.send();
    await poor.send();
    await expect(poor.send()).rejects.toThrow(BudgetSpent);
    await expect(poor.send()).rejects.toThrow(/^the budget of 2 requests is spent/u);
  });

  test('what the target did last leads when the budget ends', async () => {
    const url = await http((_request, response) => response.socket?.destroy());
    const limits = { minutes: 1, concurrency: 4, requestsPerSecond: Infinity };
    const poor = httpClient(url, { budget: new Budget({ ...limits, requests: 1 }) });
    await poor.send();
    await expect(poor.send()).rejects.toThrow(
      /^GET .* ended "cut-short".*, and the budget of 1 r/u,
    );
  });

  test('a request that waits when the time is over is told with it', async () => {
    const url = await http(() => {});
    const limits = { requests: 9, concurrency: 4, requestsPerSecond: Infinity };
    const poor = httpClient(url, { budget: new Budget({ ...limits, minutes: 0.002 }) });
    await expect(poor.send()).rejects.toMatchObject({
      message: expect.stringMatching(/^GET .* waited 0\.1 s for an answer, and the budget/u),
      waiting: { ending: 'timeout' },
    });
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
    const narrow = httpClient(url, {
      budget: new Budget({ requests: 50, minutes: 1, concurrency: 2, requestsPerSecond: Infinity }),
    });
    await Promise.all(Array.from({ length: 12 }, async () => narrow.send()));
    expect(most).toBe(2);
  });
});

describe('repeating', () => {
  test('every attempt is recorded, the last one returned', async () => {
    const { url } = await answering(503, 503, 200);
    const patient = httpClient(url, {
      repeat: (exchange) => (exchange.response?.status === 503 ? { afterMs: 1 } : undefined),
    });
    const exchange = await patient.send();
    expect(exchange.response?.status).toBe(200);
    expect(exchange.retries).toBe(2);
    expect(patient.seen.map((one) => one.response?.status)).toEqual([503, 503, 200]);
  });

  test('giving up is trouble, with the exchange that shows it', async () => {
    const { url } = await answering(503);
    const error: unknown = await httpClient(url, { repeat: () => ({ giveUp: 'it is down' }) })
      .send()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransportTrouble);
    expect(error).toMatchObject({ message: 'it is down', exchange: { response: { status: 503 } } });
  });

  test('a request that wants the first answer gets it', async () => {
    const { url } = await answering(503);
    const exchange = await httpClient(url, { repeat: () => ({ afterMs: 1 }) }).send({
      repeat: false,
    });
    expect(exchange.retries).toBe(0);
  });
});

describe('what a proxy in front may have answered', () => {
  /** A server whose first `count` answers are 502, with a door that takes those for a proxy's. */
  async function behindFront(count: number) {
    const { url } = await answering(...Array.from({ length: count }, () => 502), 200);
    return httpClient(url, { mayBeFromProxy: ({ response }) => response?.status === 502 });
  }

  test('is asked again, and a read gets the answer that comes then', async () => {
    const { send, seen } = await behindFront(2);
    expect((await send()).response?.status).toBe(200);
    expect(seen.map(({ retries }) => retries)).toEqual([0, 1, 2]);
  });

  test('is the own answer of the target the third time in a row', async () => {
    const { send } = await behindFront(3);
    const exchange = await send({ method: 'POST', repeat: false });
    expect(exchange).toMatchObject({ retries: 2, response: { status: 502 } });
  });

  test('is trouble where a change may have been handed on', async () => {
    const { send } = await behindFront(1);
    const trouble = await send({ method: 'POST', repeat: false }).catch((error: unknown) => error);
    expect(trouble).toBeInstanceOf(TransportTrouble);
    expect(trouble).toMatchObject({ exchange: { response: { status: 502 } } });
  });

  test('is asked again of bytes as they are', async () => {
    const { sendBytes, seen } = await behindFront(1);
    expect((await sendBytes()).response?.status).toBe(200);
    expect(seen).toHaveLength(2);
  });
});
