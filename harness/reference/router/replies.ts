/** Builds the router's responses and writes its streams. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type HeaderLine, headerName, type Reply } from '../http.ts';
import type { RouterChoices } from './choices.ts';
import type { RequestContext, RouterFailure } from './model.ts';
import type { Remaining, RouterRules } from './rules/rules.ts';
import type { StreamDelivery } from './agents.ts';

const JSON_TYPE = 'application/json';

export class Replies {
  readonly #rules: RouterRules;
  readonly #choices: RouterChoices;
  readonly #remaining: (context: RequestContext) => Remaining;

  constructor(
    rules: RouterRules,
    choices: RouterChoices,
    remaining: (context: RequestContext) => Remaining,
  ) {
    this.#rules = rules;
    this.#choices = choices;
    this.#remaining = remaining;
  }

  json(context: RequestContext, value: unknown): Reply {
    return this.whole(
      context,
      200,
      [['Content-Type', JSON_TYPE]],
      Buffer.from(JSON.stringify(value)),
    );
  }

  /** A response with this body or, if the body is empty, the head of a stream. */
  whole(
    context: RequestContext,
    status: number,
    describing: readonly HeaderLine[],
    body: Uint8Array,
  ): Reply {
    const headers: HeaderLine[] = [
      ...describing,
      ...this.#common(context),
      ...this.#rules.rateHeaders(this.#remaining(context), status, undefined, context),
    ];
    return this.#rules.answer({ status, headers, body }, context);
  }

  /** An error of a known route (envelope). */
  failure(context: RequestContext, failure: RouterFailure): Reply {
    const status = this.#rules.statusOf(failure, context);
    const body =
      context.route?.family === 'admin'
        ? this.#rules.adminEnvelope(failure, context)
        : this.#rules.envelope(failure, this.#rules.sourceOf(failure, context), context);
    const challenge = status === 401 ? this.#rules.challenge(context) : undefined;
    const retryAfter = this.#rules.retryAfter(failure, context);
    const headers: HeaderLine[] = [
      ['Content-Type', this.#choices.errorContentType],
      ...this.#common(context),
      ...(challenge === undefined ? [] : [['WWW-Authenticate', challenge] as const]),
      ...(retryAfter === undefined ? [] : [['Retry-After', retryAfter] as const]),
      ...this.#rules.rateHeaders(this.#remaining(context), status, failure, context),
    ];
    return this.#rules.answer(
      { status, headers, body: Buffer.from(JSON.stringify(body)) },
      context,
    );
  }

  /** The 413 for a body over the limit. The contract guarantees neither its body nor a code. */
  oversize(context: RequestContext): Reply {
    const form = this.#choices.oversize === 'reset' ? 'empty' : this.#choices.oversize;
    return this.#bare(context, 413, form, 'the request body is too large');
  }

  /** The 404 for an unknown path. */
  unregistered(context: RequestContext, status: 404 | 405 = 404): Reply {
    return this.#bare(context, status, this.#choices.notFound, 'not found');
  }

  #bare(
    context: RequestContext,
    status: number,
    form: 'json' | 'plain' | 'empty',
    text: string,
  ): Reply {
    const body = { json: JSON.stringify({ error: text }), plain: `${text}\n`, empty: '' }[form];
    const type = form === 'json' ? JSON_TYPE : 'text/plain; charset=utf-8';
    const headers: HeaderLine[] = [
      ...(form === 'empty' ? [] : [['Content-Type', type] as const]),
      ...this.#common(context),
    ];
    return this.#rules.answer({ status, headers, body: Buffer.from(body) }, context);
  }

  #common(context: RequestContext): HeaderLine[] {
    const trace = this.#rules.traceparent(context.headers);
    return [
      ['X-Request-ID', context.requestId],
      ...(trace === undefined ? [] : [['traceparent', trace] as const]),
      ...this.#choices.extraHeaders,
    ];
  }
}

export interface StreamParts {
  readonly rules: RouterRules;
  readonly choices: RouterChoices;
  readonly context: RequestContext;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** Writes the head, unless the stream has begun, and all pieces. @throws if the engine or the client is lost on the way */
export async function writeStream(
  parts: StreamParts,
  head: Reply,
  delivery: StreamDelivery,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  const { choices, context, response } = parts;
  if (!response.headersSent) writeHead(parts, head);
  // Streams of proxy routes are forwarded unchanged (transparent-proxy).
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

/** Begins a chat stream with a comment if its engine stays silent for too long. Returns a function that cancels this. */
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

/** Writes the pieces without a head. @throws if the engine or the client is lost on the way */
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

/** Ends a stream: properly if it is complete, otherwise as this deployment chooses. */
export function endStream(
  { rules, choices, context, response }: StreamParts,
  complete: boolean,
): void {
  const tail = rules.streamTail(complete, context);
  const inOrder = complete ? rules.endsInOrder(context) : choices.streamFailure === 'end';
  if (inOrder) response.end(tail);
  else if (!complete && choices.streamFailure === 'reset') response.socket?.resetAndDestroy();
  else {
    // Sends what was written, then closes the connection without ending the body.
    const cut = () => response.socket?.destroySoon();
    if (tail === undefined) cut();
    else response.write(tail, cut);
  }
}
