/** Passing a stream on to the client, piece by piece as it comes. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { headerName } from '../http/reply.ts';
import type { Reply } from '../http/reply.ts';
import type { RouterChoices } from './choices.ts';
import type { RequestContext } from './context.ts';
import type { StreamDelivery } from './delivery.ts';
import type { RouterRules } from './rules/rules.ts';

export interface StreamParts {
  readonly rules: RouterRules;
  readonly choices: RouterChoices;
  readonly context: RequestContext;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** Writes the head, unless the stream has begun, and all pieces. @throws when the engine or the client is lost on the way */
export async function writeStream(
  parts: StreamParts,
  head: Reply,
  delivery: StreamDelivery,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  const { choices, context, response } = parts;
  if (!response.headersSent) writeHead(parts, head);
  // Streams of proxy routes are passed on untouched (transparent-proxy).
  const commented = choices.streamComment !== undefined && context.route?.family === 'native';
  if (commented) response.write(`: ${choices.streamComment}\n\n`);
  await writePieces(parts, delivery, onPiece);
}

function writeHead({ choices, response }: StreamParts, head: Reply): void {
  const lines = head.headers.flatMap(([name, value]) => [
    headerName(name, choices.framing.headerCase),
    value,
  ]);
  response.writeHead(head.status, lines);
}

/** Begins a chat stream with a comment once its engine has been silent for long. Returns what takes that back. */
export function beginInSilence(parts: StreamParts, head: () => Reply): () => void {
  const { choices, context, response } = parts;
  const begins = context.stream && context.route?.family === 'native';
  if (!begins || choices.beginsInSilenceAfterMs === Infinity) return () => undefined;
  const timer = setTimeout(() => {
    writeHead(parts, head());
    response.write(': waiting\n\n');
  }, choices.beginsInSilenceAfterMs);
  return () => clearTimeout(timer);
}

/** Writes the pieces alone. @throws when the engine or the client is lost on the way */
export async function writePieces(
  { rules, context, response, signal }: StreamParts,
  delivery: { readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer> },
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  let index = 0;
  for await (const piece of delivery.pieces) {
    signal.throwIfAborted();
    onPiece(piece);
    const written = rules.streamPiece(piece, index, context);
    index += 1;
    if (!response.write(written)) await once(response, 'drain', { signal });
  }
}

/** Ends a stream: in an orderly way when it is complete, otherwise as it is chosen. */
export function endStream(
  { rules, choices, context, response }: StreamParts,
  complete: boolean,
): void {
  const tail = rules.streamTail(complete, context);
  const inOrder = complete ? rules.endsInOrder(context) : choices.streamFailure === 'end';
  if (inOrder) response.end(tail);
  else if (!complete && choices.streamFailure === 'reset') response.socket?.resetAndDestroy();
  else {
    // What was written goes out first; then the connection ends without the end of the body.
    const cut = () => response.socket?.destroySoon();
    if (tail === undefined) cut();
    else response.write(tail, cut);
  }
}
