/**
 * Loaded before a run with `node --import`: appends every request that undici sends to the file that the variable
 * `PLUMBLINE_BENCH_RECORD` names, one JSON text a line. Threads load it as well. What goes through raw sockets is
 * not seen.
 */

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

/** One line of the file. */
export interface RecordedLine {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Base64; undefined for none. */
  readonly body?: string;
}

const file = process.env['PLUMBLINE_BENCH_RECORD'];

/** What undici tells of a request that it is about to send. */
interface Created {
  readonly request: {
    readonly origin: string | URL;
    readonly method: string;
    readonly path: string;
    readonly headers: unknown;
    readonly body: unknown;
  };
}

if (file !== undefined) {
  subscribe('undici:request:create', (message) => {
    if (!isCreated(message)) return;
    const { origin, method, path, headers, body } = message.request;
    const line: RecordedLine = {
      origin: String(origin),
      method,
      path,
      headers: Array.isArray(headers) ? headers.map(String) : [],
      ...(typeof body === 'string' || body instanceof Uint8Array
        ? { body: Buffer.from(body).toString('base64') }
        : {}),
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  });
}

function isCreated(message: unknown): message is Created {
  return typeof message === 'object' && message !== null && 'request' in message;
}
