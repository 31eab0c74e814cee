/** Joins two sockets: bytes, ends and resets of each become those of the other, at the pace of the slower one. */

import { Socket } from 'node:net';
import { patientWrites } from './patient-writes.ts';

export interface RelayTaps {
  /** Takes what the client sent, and returns what is to go on. */
  sent(bytes: Buffer): readonly Buffer[];
  /** What is still held back of the client's bytes, when no more come. */
  rest(): readonly Buffer[];
  /** Told of the server's bytes once they are on their way to the client. */
  received(bytes: Buffer): void;
  /** The server has closed its side in an orderly way. */
  serverClosed(clientClosed: boolean): void;
  /** One side broke; `client` when it was the client that went. */
  broken(side: 'client' | 'server', error: Error, connected: boolean): void;
  closed(): void;
}

/** Sockets must have been opened with `allowHalfOpen`. `connected` tells whether the server's is. */
export function relay(
  client: Socket,
  server: Socket,
  connected: () => boolean,
  taps: RelayTaps,
): void {
  let clientClosed = false;
  let open = 2;
  client.setNoDelay(true);
  server.setNoDelay(true);
  patientWrites(client);
  patientWrites(server);

  const forward = (pieces: readonly Buffer[]): void => {
    for (const piece of pieces) {
      if (!server.write(piece)) client.pause();
    }
  };
  client.on('data', (bytes: Buffer) => {
    forward(taps.sent(bytes));
  });
  server.on('drain', () => client.resume());
  client.on('end', () => {
    clientClosed = true;
    forward(taps.rest());
    server.end();
  });

  server.on('data', (bytes: Buffer) => {
    if (!client.write(bytes)) server.pause();
    taps.received(bytes);
  });
  client.on('drain', () => server.resume());
  server.on('end', () => {
    client.end();
    taps.serverClosed(clientClosed);
  });

  client.on('error', (error) => {
    clientClosed = true;
    taps.broken('client', error, connected());
    reset(server);
  });
  server.on('error', (error) => {
    taps.broken(clientClosed ? 'client' : 'server', error, connected());
    // What the server said before it broke off is still owed to the client.
    client.write('', () => reset(client));
  });
  for (const socket of [client, server]) {
    socket.once('close', () => {
      open -= 1;
      if (open === 0) taps.closed();
    });
  }
}

/** Ends a connection so that the other side sees it torn down, and not closed as if all was said. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // A TLS socket has no way to reset what carries it.
  if (socket.constructor === Socket) socket.resetAndDestroy();
  else socket.destroy();
}
