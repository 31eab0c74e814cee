/** Opens connections to a deployment, over TCP or TLS. */

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A socket that is about to be connected to the origin of a URL; its ends close one by one. */
export function dial(target: URL): Socket {
  const host = target.hostname.replace(/^\[(.*)\]$/u, '$1');
  if (target.protocol === 'http:') {
    return connectTcp({ host, port: Number(target.port || 80), allowHalfOpen: true });
  }
  const options = {
    host,
    port: Number(target.port || 443),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    // The types do not know it for TLS.
    allowHalfOpen: true,
  };
  return connectTls(options);
}
