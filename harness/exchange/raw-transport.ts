/**
 * Sends a request as bytes over its own socket, for requests that an HTTP client refuses to send: wrong lengths,
 * control characters, bodies that stop half way. Node's HTTP client reads the response.
 */

import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Ending } from './exchange.ts';
import { type Network, openSocket } from './network.ts';
import { Arrival, type Arriving, endingOf, pairs, type WireResult } from './transport.ts';

export interface RawRequest extends Arriving {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** How to reach the origin (default: directly). */
  readonly network?: Network;
  /** The bytes to write in order, including the request line and headers. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** True to close the sending side after the last piece, false to keep it open. */
  readonly endAfter?: boolean;
}

/** Writes the pieces until a final response arrives, and skips 1xx responses. Never throws because of the peer. */
export async function sendRaw(request: RawRequest): Promise<WireResult> {
  return new Promise((resolve) => void converse(request, new Arrival(request, resolve)));
}

async function converse(request: RawRequest, arrival: Arrival): Promise<void> {
  const socket = await openSocket(new URL(request.origin), request.network ?? {}).catch(endingOf);
  if ('ending' in socket) {
    arrival.end(socket.ending, socket.cause);
    return;
  }
  arrival.onEnd = () => socket.destroy();
  if (arrival.hasEnded) {
    socket.destroy();
    return;
  }
  const end = (ending: Ending, cause?: string): void => arrival.end(ending, cause);
  const take = (answer: IncomingMessage): void => {
    arrival.head(answer.statusCode ?? 0, pairs(answer.rawHeaders));
    answer.on('data', (bytes: Buffer) => arrival.add(bytes));
    answer.on('end', () => end('complete'));
    answer.on('error', () => {
      // The client's error handler gets this error too, with its cause.
    });
  };
  const received = readAnswer(take, end);
  socket.on('data', (bytes: Buffer) => received.push(bytes));
  socket.on('end', () => received.push(null));
  socket.on('error', (error) => {
    const { ending, cause } = endingOf(error);
    end(ending, cause);
  });
  socket.on('close', () => received.destroy());
  await write(socket, request, () => arrival.hasEnded || arrival.hasHead);
}

/** A stream that passes received bytes to Node's HTTP client and discards what that client sends. */
function readAnswer(
  take: (answer: IncomingMessage) => void,
  end: (ending: Ending, cause?: string) => void,
): Duplex {
  const received = new Duplex({
    read() {},
    write(_bytes, _encoding, written) {
      written();
    },
  });
  let answer: IncomingMessage | undefined;
  const client: ClientRequest = httpRequest({
    createConnection: () => received,
    method: 'POST',
    insecureHTTPParser: false,
  });
  client.on('response', (message) => {
    answer = message;
    take(message);
  });
  // Bytes after an upgrade are not HTTP, so the head is the whole response.
  client.on('upgrade', (message) => {
    take(message);
    end('complete');
  });
  client.on('error', (error) => {
    // Bytes after a complete response are ignored.
    if (answer?.complete === true) return;
    const { ending, cause } = endingOf(error);
    if (ending === 'malformed') end(ending, cause);
    else end('cut-short', 'the peer closed the connection');
  });
  client.on('close', () => {
    if (answer?.complete !== true) end('cut-short', 'the peer closed the connection');
  });
  client.end();
  return received;
}

async function write(socket: Socket, request: RawRequest, answered: () => boolean): Promise<void> {
  for await (const piece of request.pieces) {
    if (answered() || socket.destroyed) return;
    if (!socket.write(piece)) {
      await new Promise<void>((go) => {
        const proceed = (): void => {
          socket.off('drain', proceed);
          socket.off('close', proceed);
          go();
        };
        socket.once('drain', proceed);
        socket.once('close', proceed);
      });
    }
  }
  if (request.endAfter === true && !answered()) socket.end();
}
