/** A proxy that connects every CONNECT request, whatever its target, to one port of loopback. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';

/** Makes the proxy; `onAsked` gets each CONNECT request. */
export function tunnelTo(port: number, onAsked: (request: IncomingMessage) => void): Server {
  return createServer().on('connect', (request, client) => {
    onAsked(request);
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
}
