/** A proxy that carries what it is asked to CONNECT to, whatever that is, to one port of loopback. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';

/** `onAsked` gets each request to connect. */
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
