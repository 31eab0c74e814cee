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
  const host = (headers.host ?? '').replace(/:\d+$/u, '').toLowerCase();
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}
