/** Listens on addresses of a target file, and restricts a local server to clients of this machine. */

import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Server as AnyServer } from 'node:net';

/** Thrown for an address on which a server cannot listen. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/**
 * Listens on `host:port` (an IPv6 host in brackets, port 0 for any free one) and resolves to the base URL.
 * @throws {AddressError} if the address cannot be read or used.
 */
export async function listenOn(server: AnyServer, address: string): Promise<string> {
  const [, host, digits] = /^(\[[^\]]+\]|[^:[\]/]+):(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (host === undefined || !(port <= 65_535)) {
    throw new AddressError(
      `"${address}" is not an address to listen on. Write host:port, such as 127.0.0.1:9100, or port 0 for any free port.`,
    );
  }
  try {
    server.listen(port, host.replace(/^\[|\]$/g, ''));
    await once(server, 'listening');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AddressError(
      `Cannot listen on ${address}: ${why}. Choose another port, or end what uses it.`,
      { cause: error },
    );
  }
  const bound = server.address();
  return `http://${host}:${typeof bound === 'object' && bound ? bound.port : port}`;
}

/** Stops a server at once and closes every open connection. */
export async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** True for a loopback address, also as an IPv4 address in IPv6 form. */
export function isOfThisMachine(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./u.test(address);
}

/** True for a `Host` of this machine. A foreign web page can resolve its own name to this address (DNS rebinding). */
export function namesThisMachine(authority: string): boolean {
  const host = authority.replace(/:\d+$/u, '').toLowerCase();
  return /^localhost\.?$/u.test(host) || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

/** True for a request to a loopback address under a foreign `Host` name. Browsers always send `Host`. */
export function isUnderForeignName({ socket, headers }: IncomingMessage): boolean {
  const isOurs = isOfThisMachine(socket.localAddress ?? '');
  return isOurs && headers.host !== undefined && !namesThisMachine(headers.host);
}
