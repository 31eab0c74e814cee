/** Serves the page of an observation, and the same as JSON. It only tells: no request changes anything. */

import { messageOf } from '../exchange/exchange.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LiveTraffic } from '../../schemas/live.ts';
import { livePage, livePagePolicy } from '../../reports/html/live-page.ts';
import { isUnderForeignName, listenOn, stop } from '../backend/address.ts';

export interface LiveServer {
  readonly url: string;
  close(): Promise<void>;
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': livePagePolicy,
} as const;

/** Throws `AddressError` when the address is taken. */
export async function serveLive(
  address: string,
  live: () => Promise<LiveTraffic>,
): Promise<LiveServer> {
  const server = createServer((request, response) => {
    answer(request, response, live).catch((error: unknown) => {
      const why = messageOf(error);
      response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
    });
  });
  const origin = await listenOn(server, address);
  return { url: `${origin}/`, close: () => stop(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  live: () => Promise<LiveTraffic>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
  } else if (isUnderForeignName(request)) {
    // A page of somebody else must not read this one by giving our address a name of its own.
    response.writeHead(421, HEADERS).end();
  } else if (pathname === '/live.json') {
    const json = `${JSON.stringify(await live(), null, 2)}\n`;
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/json' }).end(json);
  } else if (pathname === '/') {
    const page = livePage(await live(), !searchParams.has('still'));
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  } else {
    response.writeHead(404, { ...HEADERS, 'Content-Type': 'text/plain' }).end('not found\n');
  }
}
