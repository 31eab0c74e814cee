import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createRouter,
  type Handler,
  headerOf,
  listen,
  type Listening,
  type ListenOptions,
  readBody,
  sendReply,
  withHeader,
} from './http.ts';

/** A server that listens until the test ends. */
async function start(handler: Handler, options?: ListenOptions): Promise<Listening> {
  const server = await listen(handler, options);
  onTestFinished(async () => server.close());
  return server;
}

/** What a server that sends this reply says to a GET, byte for byte. */
async function sent(...reply: Tail<Parameters<typeof sendReply>>): Promise<string> {
  const { port } = await start((_request, response) => sendReply(response, ...reply));
  return raw(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
}
type Tail<List> = List extends [unknown, ...infer Rest] ? Rest : never;

/** All bytes that the server sends in response to raw bytes, until it closes. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(Buffer.from(piece)));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
    socket.write(bytes);
  });
}

describe('sendReply', () => {
  const reply = {
    status: 200,
    headers: [
      ['X-Second', '2'],
      ['X-First', 'ä1'],
    ],
    body: 'grün',
  } as const;

  test('keeps the order of headers and counts bytes, not characters', async () => {
    const [second] = reply.headers;
    const answer = await sent({ ...reply, headers: [second, ['X-First', '1']] });
    expect(answer).toMatch(/X-Second: 2\r\nX-First: 1\r\nContent-Length: 5\r\n/u);
    expect(answer.endsWith('grün')).toBe(true);
  });

  test.for([
    ['lower', 'x-second'],
    ['upper', 'X-SECOND'],
    ['canonical', 'X-Second'],
  ] as const)('writes header names in %s case', async ([headerCase, written]) => {
    const answer = await sent(
      { status: 200, headers: [['X-Second', '2']], body: '' },
      { headerCase, chunkBytes: undefined },
    );
    expect(answer).toContain(`\r\n${written}: 2\r\n`);
  });

  test('sends pieces of the size asked for', async () => {
    const answer = await sent(
      { status: 200, headers: [], body: 'abcde' },
      { headerCase: 'canonical', chunkBytes: 2 },
    );
    expect(answer).toContain('2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n');
  });

  test('finds, replaces, adds and removes headers whatever their case', () => {
    expect(headerOf(reply, 'x-first')).toBe('ä1');
    expect(withHeader(reply, 'x-second', '3').headers[0]).toEqual(['x-second', '3']);
    expect(withHeader(reply, 'X-Third', '3').headers[2]).toEqual(['X-Third', '3']);
    expect(withHeader(reply, 'X-FIRST', undefined).headers).toEqual([['X-Second', '2']]);
  });
});

describe('listen', () => {
  test('answers bytes that are not HTTP with the reply it is given', async () => {
    const server = await start(() => undefined, {
      malformed: () => ({ status: 400, headers: [['X-Why', 'garbage']], body: '{}' }),
    });
    const answer = await raw(server.port, 'nonsense\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*X-Why: garbage\r\nContent-Length: 2\r\n/su);
  });

  test('closes while a request hangs, and frees the port', async () => {
    let arrived = (): void => {};
    const reached = new Promise<void>((resolve) => (arrived = resolve));
    const server = await start(() => arrived());
    const hanging = fetch(server.url).then(
      () => 'answered',
      () => 'cut',
    );
    await reached;
    await server.close();
    await server.close();
    expect(await hanging).toBe('cut');
    await start(() => undefined, { port: server.port });
  });

  test('reports what a handler throws and cuts the connection', async () => {
    const errors: unknown[] = [];
    const broken = () => {
      throw new Error('broken');
    };
    const server = await start(broken, { onError: (error) => errors.push(error) });
    await expect(fetch(server.url)).rejects.toThrow(/fetch failed/u);
    expect(errors).toEqual([new Error('broken')]);
  });
});

describe('readBody', () => {
  test('reads up to the limit and no further', async () => {
    const seen: unknown[] = [];
    const server = await start(async (request, response) => {
      seen.push(await readBody(request, (bytes) => bytes <= 4));
      sendReply(response, { status: 200, headers: [['Connection', 'close']], body: '' });
    });
    await fetch(server.url, { method: 'POST', body: 'four' });
    await fetch(server.url, { method: 'POST', body: 'fives' });
    await fetch(server.url);
    expect(seen).toEqual([Buffer.from('four'), 'too-large', Buffer.alloc(0)]);
  });
});

describe('createRouter', () => {
  const route = createRouter([
    { method: 'GET', path: '/a/{id}', value: 'one' },
    { method: 'POST', path: '/a/{id}/stop', value: 'stop' },
  ]);

  test('names the route and its parts', () => {
    expect(route('POST', '/a/x%20y/stop')).toMatchObject({
      outcome: 'found',
      route: { value: 'stop' },
      parameters: { id: 'x y' },
    });
    expect(route('GET', '/a/%zz')).toMatchObject({ parameters: { id: '%zz' } });
  });

  test('tells a wrong method from an unknown path', () => {
    expect(route('DELETE', '/a/x')).toEqual({ outcome: 'wrong-method', allowed: ['GET'] });
    expect(route('GET', '/a/x/y')).toEqual({ outcome: 'unknown' });
    expect(route('GET', '/a/')).toEqual({ outcome: 'unknown' });
  });
});
