/** Raw TCP servers and clients for the tests of the proxy. */

import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { type Proxy, type ProxyOptions, startProxy } from './proxy.ts';
import { placeOf } from './traffic-record.ts';
import { listening } from '../exchange/listening.test.support.ts';

export interface RawServer {
  readonly port: number;
  readonly server: Server;
  readonly close: () => Promise<void>;
}

/** A server on a free loopback port that leaves everything to `serve`. */
export async function rawServer(serve: (socket: Socket) => void): Promise<RawServer> {
  const server = createServer({ allowHalfOpen: true }, serve);
  return { server, ...(await listening(server)) };
}

export interface Observed {
  readonly proxy: Proxy;
  readonly port: number;
  readonly exchanges: readonly Exchange[];
  /** Resolves once `count` exchanges have ended. */
  readonly seen: (count: number) => Promise<readonly Exchange[]>;
}

/** A proxy in front of a loopback port, and the exchanges that it records. */
export async function observed(
  targetPort: number,
  options: Partial<Omit<ProxyOptions, 'place' | 'onExchange'>> & { readonly path?: string } = {},
): Promise<Observed> {
  const exchanges: Exchange[] = [];
  const waiting: { count: number; done: () => void }[] = [];
  const { path = '/v1', ...rest } = options;
  const proxy = await startProxy({
    listen: '127.0.0.1:0',
    ...rest,
    place: placeOf({
      contract: 'compute',
      name: 'raw',
      baseUrl: `http://127.0.0.1:${targetPort}${path}`,
    }),
    onExchange: (exchange) => {
      exchanges.push(exchange);
      for (const one of waiting) if (exchanges.length >= one.count) one.done();
    },
  });
  return {
    proxy,
    port: Number(new URL(proxy.origin).port),
    exchanges,
    seen: async (count) => {
      if (exchanges.length < count) {
        await new Promise<void>((done) => {
          waiting.push({ count, done });
        });
      }
      return exchanges;
    },
  };
}

/** A proxy in front of a raw server. Both are closed when the test ends. */
export async function between(
  serve: (socket: Socket) => void,
  options?: Parameters<typeof observed>[1],
): Promise<Observed & { readonly target: number }> {
  const server = await rawServer(serve);
  onTestFinished(server.close);
  const proxied = await observed(server.port, options);
  onTestFinished(async () => proxied.proxy.close(0));
  return { ...proxied, target: server.port };
}

/** All bytes that a peer sends until it closes, and how it closed. */
export async function drained(
  socket: Socket,
): Promise<{ readonly bytes: Buffer; readonly error: string | undefined }> {
  const pieces: Buffer[] = [];
  let error: string | undefined;
  return new Promise((resolve) => {
    socket.on('data', (bytes: Buffer) => pieces.push(bytes));
    socket.on('error', (problem) => {
      error = 'code' in problem ? String(problem.code) : problem.message;
    });
    socket.on('close', () => resolve({ bytes: Buffer.concat(pieces), error }));
  });
}

/** A connection to a loopback port that stays readable after it is ended, until the test is over. */
export function dialled(port: number): Socket {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  return client;
}

/** Writes pieces one by one, each in a turn of the event loop of its own. */
export async function inPieces(
  socket: Socket,
  pieces: readonly (string | Buffer)[],
): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((next) => setImmediate(next));
  }
}

/** Resolves with the received text once it ends with `end`. */
export async function until(socket: Socket, end: string): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const take = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      if (!text.endsWith(end)) return;
      socket.off('data', take);
      resolve(text);
    };
    socket.on('data', take);
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
}
