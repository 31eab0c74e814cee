import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { between, dialled, drained, inPieces, until } from './raw.test.support.ts';

const OK = 'HTTP/1.1 200 OK\r\n';

describe('proxy', () => {
  /** Answers every message that ends in a blank line with the same bytes. */
  function answering(response: string): (socket: Socket) => void {
    return (socket) => {
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
        for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
          text = text.slice(end + 4);
          socket.write(response, 'latin1');
        }
      });
      socket.on('end', () => socket.end());
    };
  }

  describe('bytes pass unchanged', () => {
    const odd = [
      'get-less',
      'GET /v1/instances?size=1&size=2 HTTP/1.1\r\nhOSt:  LOCALHOST  \r\nX-Odd:\tTab\r\nx-odd: again\r\nAccept:\r\n\r\n',
      'POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n0\r\nTrailer: t\r\n\r\n',
      '\r\n\r\nGET / HTTP/1.0\r\n\r\n',
      '\u0000\u0001\u0002 not HTTP at all \u00ff',
    ];

    test.for(odd)('%j', async (sent) => {
      const received: Buffer[] = [];
      let arrived: (() => void) | undefined;
      const whole = new Promise<void>((done) => {
        arrived = done;
      });
      const { port } = await between(
        (socket) => {
          socket.on('data', (bytes: Buffer) => {
            received.push(bytes);
            if (Buffer.concat(received).length >= sent.length) arrived?.();
          });
        },
        { host: 'keep' },
      );
      // Where they are cut makes no difference.
      const bytes = Buffer.from(sent, 'latin1');
      const pieces = [bytes.subarray(0, 3), bytes.subarray(3, 10), bytes.subarray(10)];
      await inPieces(dialled(port), pieces);
      await whole;
      expect(Buffer.concat(received).toString('latin1')).toBe(sent);
    });

    test('of answers too, with interim ones before the final one', async () => {
      const answer =
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 Fine\r\ncontent-LENGTH:2\r\nSet-Cookie: a\r\nSET-COOKIE: b\r\n\r\nhi';
      const { port, seen } = await between(answering(answer));
      const client = dialled(port);
      const text = until(client, 'hi');
      client.write(
        'POST /v1/instances/x/stop HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n',
      );
      expect(await text).toBe(answer);
      const [exchange] = await seen(1);
      expect(exchange).toMatchObject({
        ending: 'complete',
        request: { method: 'POST', path: '/instances/x/stop' },
        response: { status: 200 },
      });
      expect(exchange?.response?.headers).toEqual([
        ['content-LENGTH', '2'],
        ['Set-Cookie', 'a'],
        ['SET-COOKIE', 'b'],
      ]);
    });
  });

  describe('exchanges are told apart', () => {
    test('on one connection, pipelined', async () => {
      const { port, seen } = await between(answering(`${OK}Content-Length: 2\r\n\r\n{}`));
      const client = dialled(port);
      client.resume();
      const one = (path: string): string => `GET /v1/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      client.write(one('regions') + one('presets') + one('instances'));
      const exchanges = await seen(3);
      const paths = exchanges.map(({ request }) => request.path);
      expect(paths).toEqual(['/regions', '/presets', '/instances']);
      expect(new Set(exchanges.map(({ id }) => id)).size).toBe(3);
    });

    test('the answer to HEAD has no body, whatever its length says', async () => {
      const { port, seen } = await between(answering(`${OK}Content-Length: 500\r\n\r\n`));
      const client = dialled(port);
      client.resume();
      client.write('HEAD /v1/regions HTTP/1.1\r\n\r\nHEAD /v1/presets HTTP/1.1\r\n\r\n');
      const exchanges = await seen(2);
      expect(exchanges.map(({ ending }) => ending)).toEqual(['complete', 'complete']);
    });

    test('bodies are kept up to a limit, and passed on whole', async () => {
      const body = 'x'.repeat(100_000);
      const { port, seen } = await between(
        answering(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`),
        { bodyBytes: 1_000 },
      );
      const client = dialled(port);
      const closed = drained(client);
      client.end('GET /v1/regions HTTP/1.1\r\n\r\n');
      const [exchange] = await seen(1);
      expect((await closed).bytes.toString()).toContain(body);
      expect(exchange).toMatchObject({ ending: 'too-large' });
      expect(exchange?.response?.body.length).toBe(1_000);
    });

    test('after an upgrade nothing is read, and everything passes', async () => {
      const { port, proxy } = await between((socket) => {
        socket.once('data', () => {
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n',
          );
          socket.on('data', (bytes: Buffer) => socket.write(bytes));
        });
      });
      const client = dialled(port);
      const switched = until(client, '\r\n\r\n');
      client.write('GET /v1/x HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      await switched;
      const echoed = until(client, 'GET no HTTP');
      client.write('GET no HTTP');
      await echoed;
      expect(proxy.counts()).toMatchObject({ upgraded: 1, underWay: 0 });
    });
  });

  describe('events of a stream', () => {
    test('arrive one by one, each before the next is sent', async () => {
      const { port, seen } = await between((socket) => {
        let events = 0;
        socket.once('data', () => {
          socket.write(
            `${OK}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n`,
          );
          socket.on('data', () => {
            events += 1;
            const data = `data: ${events}\n\n`;
            socket.write(`${data.length.toString(16)}\r\n${data}\r\n`);
            if (events === 3) socket.write('0\r\n\r\n');
          });
        });
      });
      const client = dialled(port);
      const head = until(client, '\r\n\r\n');
      client.write('POST /v1/regions HTTP/1.1\r\nContent-Length: 3\r\n\r\n');
      await head;
      for (const event of [1, 2]) {
        const arrived = until(client, `data: ${event}\n\n\r\n`);
        client.write('x');
        await arrived;
      }
      client.write('x');
      const [exchange] = await seen(1);
      const pieces = exchange?.response?.chunks.map(({ bytes }) => bytes) ?? [];
      expect(Buffer.concat(pieces).toString()).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n');
    });
  });

  describe('Host', () => {
    const request = 'GET /v1/regions HTTP/1.1\r\nA: b\r\nHOST:  localhost:8080\r\nC: d\r\n\r\n';

    test.for([
      ['auto', request],
      ['keep', request],
      ['target', (port: number) => request.replace('localhost:8080', `127.0.0.1:${port}`)],
    ] as const)('with --host %s', async ([host, expected]) => {
      let heard: ((text: string) => void) | undefined;
      const received = new Promise<string>((done) => {
        heard = done;
      });
      const { port, target } = await between(
        (socket) => {
          let text = '';
          socket.on('data', (bytes: Buffer) => {
            text += bytes.toString('latin1');
            if (text.endsWith('body')) heard?.(text);
          });
        },
        { host },
      );
      const withBody = request.replace('C: d', 'Content-Length: 4');
      await inPieces(dialled(port), [withBody.slice(0, 30), withBody.slice(30), 'body']);
      const text = typeof expected === 'string' ? expected : expected(target);
      expect(await received).toBe(`${text.replace('C: d', 'Content-Length: 4')}body`);
    });
  });
});
