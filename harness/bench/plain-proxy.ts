/** A process that passes bytes on and does nothing else: `PORT` of loopback is where they go. */

import { connect, createServer } from 'node:net';

const port = Number(process.argv[2]);
const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const target = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  client.pipe(target);
  target.pipe(client);
  client.on('error', () => target.destroy());
  target.on('error', () => client.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`http://127.0.0.1:${bound}\n`);
});
