/** A proxy that forwards everything, and now and then answers 502 itself, resets, or takes its time. */

import { createServer, request as forward } from 'node:http';
import { createRandom } from './random.ts';

export interface FlakyFront {
  readonly port: number;
  /** Requests that it spoiled so far. */
  readonly spoiled: () => number;
  close(): Promise<void>;
}

const SLOW_MS = 300;

/** Each kind of trouble comes once in `oneIn` requests, drawn from the seed. */
export async function startFlakyFront(
  behind: number,
  { seed, oneIn }: { readonly seed: number; readonly oneIn: number },
): Promise<FlakyFront> {
  const random = createRandom(seed);
  let spoiled = 0;
  const server = createServer((incoming, outgoing) => {
    const draw = Math.floor(random() * oneIn);
    if (draw < 3) spoiled += 1;
    if (draw === 0) {
      outgoing.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      return;
    }
    if (draw === 1) {
      incoming.socket.resetAndDestroy();
      return;
    }
    const pass = (): void => {
      const onward = forward(
        {
          host: '127.0.0.1',
          port: behind,
          method: incoming.method,
          path: incoming.url,
          headers: incoming.rawHeaders,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.statusMessage, answer.rawHeaders);
          answer.pipe(outgoing);
        },
      );
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    };
    if (draw === 2) setTimeout(pass, SLOW_MS);
    else pass();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    spoiled: () => spoiled,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
