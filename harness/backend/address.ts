/** Addresses: listening on them as they are written in a target file, and which clients a server answers that is meant for its own machine. */

import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Server as AnyServer } from 'node:net';

/** An address that cannot be listened on. */
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

/** Stops a server at once, with every connection that is still open. */
export async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Whether an address is of this machine, also in the IPv6 form of an IPv4 address. */
export function isOfThisMachine(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./u.test(address);
}

/**
 * Whether a value of `Host` names this machine by an address or by a name that it alone has: a web page of somebody else may
 * have given our address a name of its own, and then reads what it likes (DNS rebinding).
 */
export function namesThisMachine(authority: string): boolean {
  const host = authority.replace(/:\d+$/u, '').toLowerCase();
  return /^localhost\.?$/u.test(host) || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

/** Whether a request came to an address of this machine alone under a name of others. Without `Host` no browser asks. */
export function isUnderForeignName({ socket, headers }: IncomingMessage): boolean {
  const isOurs = isOfThisMachine(socket.localAddress ?? '');
  return isOurs && headers.host !== undefined && !namesThisMachine(headers.host);
}
