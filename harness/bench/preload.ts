/**
 * Loaded before a program with `node --import`, and by its threads as well. At its end the program writes what it took to
 * the file that the variable `PLUMBLINE_BENCH_USAGE` names. Every request that undici sends is appended to the file of
 * `PLUMBLINE_BENCH_RECORD`, where there is one, as one JSON text a line; what goes through raw sockets is not seen.
 */

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a program took, with its threads. */
export interface Usage {
  /** User and system time. */
  readonly cpuSeconds?: number;
  /** At its highest. */
  readonly peakBytes?: number;
}

const usageFile = process.env['PLUMBLINE_BENCH_USAGE'];
if (usageFile !== undefined && isMainThread) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
    writeFileSync(usageFile, JSON.stringify({ cpuSeconds, peakBytes: maxRSS * 1024 }));
  });
}

/** One line of the file. */
export interface RecordedLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True for one of a thread, in which the suite runs: the command tries the keys before. */
  readonly isOfSuite: boolean;
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
      at: Date.now(),
      isOfSuite: !isMainThread,
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
