/** Writes a report and tells it: the end of every command that makes one. */

import type { ConformanceReport } from '../../schemas/report.ts';
import { terminalSummary } from '../../reports/terminal.ts';
import type { RunOptions } from './run-options.ts';
import { writeReport } from './write-report.ts';
import { terminalWidth } from './terminal-width.ts';

/** With `json` the result goes to stdout and the summary to stderr. Throws `CommandFailure`. */
export async function tellReport(
  report: ConformanceReport,
  options: Pick<RunOptions, 'out' | 'reporter' | 'json'>,
): Promise<void> {
  const written = await writeReport(report, options);
  if (options.json) process.stdout.write(written.json);
  const summary = terminalSummary(report, {
    colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    width: terminalWidth(process.stdout, 100),
    ...(written.page === undefined ? {} : { page: written.page }),
  });
  (options.json ? process.stderr : process.stdout).write(`${summary}\n`);
}
