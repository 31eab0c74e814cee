/**
 * One request as bytes over a socket of its own, for what an HTTP client refuses to send: wrong lengths, control
 * characters, bodies that stop half way. Node's own client reads what comes back.
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
  /** The way to the origin; the direct one unless told. */
  readonly network?: Network;
  /** Everything that is written, request line and headers included, in pieces that are written in order. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** True when we end our side after the last piece, false when we leave it open. */
  readonly endAfter?: boolean;
}

/**
 * Writes the pieces and reads one final response (1xx responses are skipped).
 * The peer may answer before everything is written: writing then stops. Never throws for what the peer does.
 */
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
      // The client, which hears of it too, knows why.
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

/** A stream that takes what the peer sends, and reads it with Node's HTTP client. What that would send itself goes nowhere. */
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
  // What follows an upgrade is no HTTP: the head is all there is to read.
  client.on('upgrade', (message) => {
    take(message);
    end('complete');
  });
  client.on('error', (error) => {
    // Bytes behind the answer belong to no answer, and take nothing from it.
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
