/** One HTTP request as a promise: for agents towards engines, and for the router towards a provider. */

import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { request as start } from 'node:http';

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /** Pool of connections; without one each call has its own. */
  readonly pool?: Agent;
  /** Told of the request that was sent, for who may have to end it. */
  readonly onSent?: (request: ClientRequest) => void;
}

/**
 * The head of the answer; its body follows on the returned message.
 * @throws the error of the connection, or the reason of `signal`
 */
export async function ask(url: string, call: Call): Promise<IncomingMessage> {
  const { method = 'POST', headers = {}, body, signal, pool, onSent } = call;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const outgoing = start(url, {
      method,
      headers: { ...headers, ...length },
      agent: pool ?? false,
      signal,
    });
    onSent?.(outgoing);
    outgoing.once('response', resolve);
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    outgoing.end(body);
  });
}

/** The whole body of a message. @throws when the connection is lost before its end, unless half of it will do */
export async function bodyOf(message: IncomingMessage, halfWillDo = false): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of message) pieces.push(Buffer.from(piece));
  } catch (error) {
    if (!halfWillDo) throw error;
  }
  return Buffer.concat(pieces);
}

/** Rejects with the reason of a signal once it is aborted. */
export async function aborted(signal: AbortSignal): Promise<never> {
  const end = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  end.catch(() => undefined);
  return end;
}
