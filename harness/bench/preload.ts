/**
 * Loaded with `node --import`, also by threads. At exit it writes the resource usage to `PLUMBLINE_BENCH_USAGE`. It
 * appends when undici makes each request to `PLUMBLINE_BENCH_RECORD`, one JSON text per line.
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
}

const file = process.env['PLUMBLINE_BENCH_RECORD'];
if (file !== undefined) {
  subscribe('undici:request:create', () => {
    const line: RecordedLine = { at: Date.now(), isOfSuite: !isMainThread };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  });
}
