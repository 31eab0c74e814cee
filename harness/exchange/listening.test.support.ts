/** For tests: servers on free ports of the loopback interface. */

import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Resolves once the server listens; errors on its connections do not fail the test. */
export async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address: AddressInfo = Object(server.address());
  return {
    port: address.port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

/** The port of a server that listens until the test ends. */
export async function portOf(server: Server): Promise<number> {
  const { port, close } = await listening(server);
  onTestFinished(close);
  return port;
}
