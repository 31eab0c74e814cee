import { describe, expect, onTestFinished, test } from 'vitest';
import { between, dialled, drained, observed, rawServer, until } from './raw.test.support.ts';

describe('ends and resets pass on', () => {
  const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf';

  test('of a server that closes early: cut short', async () => {
    const { port, seen } = await between((socket) => {
      socket.once('data', () => socket.end(begun));
    });
    const client = dialled(port);
    const closed = drained(client);
    client.write('GET /v1/regions HTTP/1.1\r\n\r\n');
    client.once('end', () => client.end());
    expect(await closed).toMatchObject({ bytes: Buffer.from(begun), error: undefined });
    expect(await seen(1)).toMatchObject([{ ending: 'cut-short', response: { status: 200 } }]);
  });

  test('of a server that resets, after what it had said', async () => {
    const { port, seen } = await between((socket) => {
      socket.once('data', () => {
        socket.write(begun);
      });
      socket.on('data', (bytes: Buffer) => {
        if (bytes.includes('now')) socket.resetAndDestroy();
      });
    });
    const client = dialled(port);
    const closed = drained(client);
    const half = until(client, 'half');
    client.write('POST /v1/regions HTTP/1.1\r\nContent-Length: 3\r\n\r\n');
    await half;
    client.write('now');
    expect(await closed).toMatchObject({ bytes: Buffer.from(begun), error: 'ECONNRESET' });
    expect(await seen(1)).toMatchObject([{ ending: 'reset' }]);
  });

  test('of a client that hangs up: the server learns it, and is not blamed', async () => {
    let gone: (() => void) | undefined;
    const left = new Promise<void>((done) => {
      gone = done;
    });
    const { port, seen } = await between((socket) => {
      socket.once('data', () => socket.write(begun));
      socket.on('error', () => gone?.());
    });
    const client = dialled(port);
    const half = until(client, 'half');
    client.write('GET /v1/regions HTTP/1.1\r\n\r\n');
    await half.catch(() => undefined);
    client.on('error', () => undefined);
    client.resetAndDestroy();
    await left;
    expect(await seen(1)).toMatchObject([{ ending: 'aborted', response: { status: 200 } }]);
  });

  test('of a client that only ends its side, and still gets its answer', async () => {
    const { port, seen } = await between((socket) => {
      socket.resume();
      socket.on('end', () => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'));
    });
    const client = dialled(port);
    const closed = drained(client);
    client.end('GET /v1/regions HTTP/1.0\r\n\r\n');
    expect((await closed).bytes.toString()).toBe('HTTP/1.0 200 OK\r\n\r\nall of it');
    expect(await seen(1)).toMatchObject([{ ending: 'complete' }]);
  });

  test('of a server that answers and closes while the client still sends: the answer arrives', async () => {
    const refused = 'HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
    const { port, seen } = await between((socket) => {
      socket.once('data', () => {
        socket.pause();
        // Unread data makes the kernel reset the connection after the response.
        socket.write(refused, () => socket.destroy());
      });
    });
    const size = 20_000_000;
    const client = dialled(port);
    let text = '';
    client.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    client.on('error', () => undefined);
    client.write(`POST /v1/instances/x/stop HTTP/1.1\r\nContent-Length: ${size}\r\n\r\n`);
    client.write(Buffer.alloc(size, 'x'));
    expect(await seen(1)).toMatchObject([{ ending: 'complete', response: { status: 413 } }]);
    await expect.poll(() => text).toBe(refused);
  });

  test('of a target that cannot be reached: the client is reset and nothing is invented', async () => {
    const server = await rawServer(() => undefined);
    await server.close();
    const { port, proxy, seen } = await observed(server.port);
    onTestFinished(async () => proxy.close(0));
    const client = dialled(port);
    const closed = drained(client);
    client.write('GET /v1/regions HTTP/1.1\r\n\r\n');
    expect(await closed).toMatchObject({ bytes: Buffer.alloc(0), error: 'ECONNRESET' });
    expect(proxy.counts()).toMatchObject({ reached: 0, unreachable: 1 });
    expect((await seen(0)).every(({ ending }) => ending === 'unreachable')).toBe(true);
  });
});
