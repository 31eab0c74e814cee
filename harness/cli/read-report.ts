/** Reads results of earlier runs, for the commands that work on them. */

import { readFileSync } from 'node:fs';
import type { ConformanceReport } from '../../schemas/report.ts';
import { reportFromJson, UnreadableReport } from '../../reports/json.ts';
import { CommandFailure, exitCodes } from './exit.ts';

export interface ReadReport {
  /** The file as the user named it. */
  readonly name: string;
  readonly text: string;
  readonly report: ConformanceReport;
}

/** Reads a `conformance.json`. Throws `CommandFailure` when there is none, or when it is no report. */
export function readReport(file: string): ReadReport {
  const text = readText(file, 'Name the conformance.json of a run; plumbline run writes it.');
  try {
    return { name: file, text, report: reportFromJson(text, file) };
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error;
    throw new CommandFailure(error.message, exitCodes.usage);
  }
}

/** Reads a text file; `advice` tells what to name instead. Throws `CommandFailure`. */
export function readText(file: string, advice: string): string {
  try {
    // A byte that is no UTF-8 must not pass as another one: the text stands for the file in digests.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const problem =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'this is a folder'
          : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
            ? 'it is not a text in UTF-8'
            : `it cannot be read (${String(code ?? error)})`;
    throw new CommandFailure(`${file}: ${problem}. ${advice}`, exitCodes.usage);
  }
}
