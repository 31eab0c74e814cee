/** What an engine or a provider gave for a request: a whole body, or a stream that has begun. */

import type { IncomingMessage } from 'node:http';
import type { HeaderLine } from '../http/reply.ts';
import type { RequestContext } from './context.ts';
import { bodyOf } from './http-call.ts';
import type { RouterRules } from './rules/rules.ts';

export interface WholeDelivery {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

export interface StreamDelivery {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** The pieces as they came, the first one already there. @throws when the engine is lost */
  readonly pieces: AsyncIterable<Buffer>;
}

export type Delivery = WholeDelivery | StreamDelivery;

/**
 * Takes a success. A stream counts as begun with its first byte: until then a failure can still be
 * told as JSON, or tried elsewhere. @throws when the connection is lost before that
 */
export async function receive(
  message: IncomingMessage,
  rules: Pick<RouterRules, 'waitsForFirstByte' | 'keepsHalfBodies'>,
  context: RequestContext,
): Promise<Delivery> {
  const status = message.statusCode ?? 200;
  const headers = describing(message);
  if (!/^text\/event-stream\b/i.test(message.headers['content-type'] ?? '')) {
    const body = await bodyOf(message, rules.keepsHalfBodies(context));
    return { kind: 'whole', status, headers, body };
  }
  if (!rules.waitsForFirstByte(context))
    return { kind: 'stream', status, headers, pieces: message };
  const iterator: AsyncIterator<Buffer> = message[Symbol.asyncIterator]();
  const first = await iterator.next();
  return { kind: 'stream', status, headers, pieces: continued(first, iterator) };
}

/** The headers without which a body cannot be read. */
function describing(message: IncomingMessage): readonly HeaderLine[] {
  return ['Content-Type', 'Content-Encoding'].flatMap((name) => {
    const value = message.headers[name.toLowerCase()];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
}

async function* continued(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
