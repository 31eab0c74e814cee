/** A client for tests, and servers for it that close when the test ends. */

import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TargetBudget } from '../../schemas/target.ts';
import { Secret } from '../target/keys.ts';
import { Budget } from './budget.ts';
import { HttpClient, type HttpClientOptions } from './client.ts';
import type { Exchange } from './exchange.ts';
import { createTransport } from './transport.ts';
import { portOf } from './listening.test.support.ts';

async function served(server: Server): Promise<string> {
  return `http://127.0.0.1:${await portOf(server)}/v1`;
}

/** A generous budget without a pace, but for some limits. */
export function budgetWith(limits: Partial<TargetBudget> = {}): Budget {
  const usual = { requests: 50, minutes: 1, concurrency: 4, requestsPerSecond: Infinity };
  return new Budget({ ...usual, ...limits });
}

/** Starts a server with this handler and returns its base URL. */
export const http = async (handle: RequestListener): Promise<string> =>
  served(createServer(handle));

/** A server that answers with these statuses in turn, repeats the last one, and counts its requests. */
export async function answering(...statuses: readonly number[]) {
  let asked = 0;
  const url = await http((_request, response) => {
    const status = statuses[Math.min(asked, statuses.length - 1)] ?? 200;
    asked += 1;
    response.writeHead(status, { Location: 'http://127.0.0.1:9/elsewhere' }).end('{}');
  });
  return { url, asked: () => asked };
}

/** A server that passes each raw socket to `handle` when data arrives. */
export const tcp = async (handle: (socket: Socket) => void): Promise<string> =>
  served(createTcpServer((socket) => socket.on('data', () => handle(socket))));

/** A client of the server at `baseUrl`, and all exchanges that it recorded. */
export function httpClient(baseUrl: string, over: Partial<HttpClientOptions> = {}) {
  const transport = createTransport();
  onTestFinished(async () => transport.close());
  const seen: Exchange[] = [];
  const made = new HttpClient({
    contract: 'compute',
    target: 'here',
    baseUrl,
    keys: new Map([['primary', new Secret('key:primary', 'sk-very-secret')]]),
    budget: budgetWith(),
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
