/** Short forms of the behaviours, so that a suite reads like what it provokes. */

import type { Behaviour, Complete, Delivery, Ending, Events, Place, Respond } from './behaviour.ts';

/** An ordinary answer of the route that was asked, streamed if asked. */
export function complete(options: Omit<Complete, 'kind'> = {}): Behaviour {
  return { kind: 'complete', ...options };
}

/** Any status with a JSON body, or none if it is undefined. */
export function respond(
  status: number,
  json?: Respond['json'],
  options: Omit<Respond, 'kind' | 'status' | 'json'> = {},
): Behaviour {
  return { kind: 'respond', status, ...(json === undefined ? {} : { json }), ...options };
}

/** Any status with a body of text, labelled JSON unless the headers say otherwise: invalid JSON, HTML, nothing. */
export function respondText(
  status: number,
  text: string,
  options: Omit<Respond, 'kind' | 'status' | 'text'> = {},
): Behaviour {
  return { kind: 'respond', status, text, ...options };
}

/** Any status with bytes as they are, labelled as such. */
export function respondBytes(status: number, bytes: Uint8Array): Behaviour {
  const headers: [string, string][] = [['Content-Type', 'application/octet-stream']];
  return { kind: 'respond', status, headers, base64: Buffer.from(bytes).toString('base64') };
}

/** The router's own error form, as if the engine were a router. */
export function envelope(
  status: number,
  code: string,
  source: string,
  options: Delivery & { readonly message?: string } = {},
): Behaviour {
  return { kind: 'envelope', status, code, source, ...options };
}

/** A stream of chosen events. */
export function events(
  list: Events['events'],
  options: Omit<Events, 'kind' | 'events'> = {},
): Behaviour {
  return { kind: 'events', events: list, ...options };
}

/** An ordinary answer that waits, before its head unless told, until the script is released. */
export function stall(at: Place = 'before-head', options: Omit<Complete, 'kind'> = {}): Behaviour {
  return { kind: 'complete', ...options, hold: at };
}

/** Silence until the client goes or the script is released, which closes the connection. */
export function hang(at: Place = 'before-head'): Behaviour {
  return { kind: 'hang', at };
}

/** The end of the connection, before the head unless told. */
export function drop(how: Ending = 'close', at: Place = 'before-head'): Behaviour {
  return { kind: 'drop', how, at };
}
