/**
 * Loaded with `node --import`, also by threads. At exit it writes the resource usage to `PLUMBLINE_BENCH_USAGE`. It
 * appends every request of undici (not of raw sockets) to `PLUMBLINE_BENCH_RECORD`, one JSON text per line.
 */

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** The resource usage of a program and its threads. */
export interface Usage {
  /** User and system time. */
  readonly cpuSeconds?: number;
  /** Peak resident memory. */
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

/** One line of the recording. */
export interface RecordedLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True for a request of the suite, which runs in a thread. The main thread checks the keys before. */
  readonly isOfSuite: boolean;
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** Base64. Undefined without a body. */
  readonly body?: string;
}

const file = process.env['PLUMBLINE_BENCH_RECORD'];

/** The diagnostics message of undici about a new request. */
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
