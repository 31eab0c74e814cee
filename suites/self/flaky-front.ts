/** A proxy that forwards everything, but at random answers 502, resets, delays a request, or cuts a response short. */

import { createServer, type IncomingMessage, request as forward } from 'node:http';
import { createRandom } from './random.ts';
import { type Listening, listening } from '../../harness/exchange/listening.test.support.ts';

export interface FlakyFront extends Listening {
  /** Number of disturbed requests so far. */
  readonly spoiled: () => number;
  /** Number of responses with changed headers so far. */
  readonly changed: () => number;
}

export interface FlakyFrontOptions {
  readonly seed: number;
  /** Each kind of disturbance affects one in this many requests, drawn from the seed. */
  readonly oneIn: number;
  /** Changes the headers of every `every`-th forwarded response, as a violation. */
  readonly change: {
    readonly every: number;
    readonly headers: (raw: readonly string[]) => string[];
  };
}

const SLOW_MS = 300;

export async function startFlakyFront(
  behind: number,
  { seed, oneIn, change }: FlakyFrontOptions,
): Promise<FlakyFront> {
  const random = createRandom(seed);
  let spoiled = 0;
  let answers = 0;
  const headersOf = ({ rawHeaders }: IncomingMessage): string[] => {
    answers += 1;
    return answers % change.every === 0 ? change.headers(rawHeaders) : rawHeaders;
  };
  const server = createServer((incoming, outgoing) => {
    const draw = Math.floor(random() * oneIn);
    if (draw < 4) spoiled += 1;
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
          outgoing.writeHead(answer.statusCode ?? 500, answer.statusMessage, headersOf(answer));
          // Flushes at once, so that event streams are not delayed and an early end stays visible.
          outgoing.flushHeaders();
          // Nothing follows a cut: a proper end would turn it into a complete response that lacks a byte.
          let cut = false;
          answer.on('data', (piece: Buffer) => {
            if (cut) return;
            cut = draw === 3;
            if (cut) outgoing.write(piece.subarray(0, -1), () => incoming.socket.end());
            else outgoing.write(piece);
          });
          answer.on('end', () => {
            if (!cut) outgoing.end();
          });
          answer.on('error', () => incoming.socket.resetAndDestroy());
        },
      );
      // A response may arrive before the whole request was sent; then the error does not matter.
      onward.on('error', () => {
        if (!outgoing.headersSent) outgoing.destroy();
      });
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    };
    if (draw === 2) setTimeout(pass, SLOW_MS);
    else pass();
  });
  return {
    ...(await listening(server)),
    spoiled: () => spoiled,
    changed: () => Math.floor(answers / change.every),
  };
}
