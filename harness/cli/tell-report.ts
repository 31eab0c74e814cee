/** Writes a report and tells it: the end of every command that makes one. */

import type { ConformanceReport } from '../../schemas/report.ts';
import { reportToJson } from '../../reports/formats/json.ts';
import { terminalSummary } from '../../reports/formats/terminal.ts';
import type { RunOptions } from './run-options.ts';
import { writeReport } from './write-report.ts';
import { terminalWidth } from './process.ts';

/**
 * With `json` the result goes to stdout and the summary to stderr. Throws `CommandFailure` when it cannot be
 * written, once it is told all the same: what a run found out is not lost for want of a disk.
 */
export async function tellReport(
  report: ConformanceReport,
  options: Pick<RunOptions, 'out' | 'reporter' | 'json'>,
): Promise<void> {
  let page: string | undefined;
  let unwritten: unknown;
  try {
    page = await writeReport(report, options);
  } catch (error) {
    unwritten = error;
  }
  if (options.json) process.stdout.write(reportToJson(report));
  const summary = terminalSummary(report, {
    colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    width: terminalWidth(process.stdout, 100),
    ...(page === undefined ? {} : { page }),
  });
  (options.json ? process.stderr : process.stdout).write(`${summary}\n`);
  if (unwritten !== undefined) throw unwritten;
}
