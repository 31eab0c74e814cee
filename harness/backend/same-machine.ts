/** Who may ask a server that is meant for its own machine. */

import type { IncomingMessage } from 'node:http';

/** Whether an address is of this machine, also in the IPv6 form of an IPv4 address. */
export function isOfThisMachine(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./u.test(address);
}

/**
 * Whether `Host` names this machine by an address or by a name that it alone has: a web page of somebody else may have given
 * our address a name of its own, and then reads what it likes (DNS rebinding).
 */
export function namesThisMachine({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return isNameOfThisMachine(headers.host ?? '');
}

/** The same of the value of `Host`. */
export function isNameOfThisMachine(authority: string): boolean {
  const host = authority.replace(/:\d+$/u, '').toLowerCase();
  return /^localhost\.?$/u.test(host) || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

/** Whether a request came to an address of this machine alone under a name of others. Without `Host` no browser asks. */
export function isUnderForeignName(request: IncomingMessage): boolean {
  const isOurs = isOfThisMachine(request.socket.localAddress ?? '');
  return isOurs && request.headers.host !== undefined && !namesThisMachine(request);
}
