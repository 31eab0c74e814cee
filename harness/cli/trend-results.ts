/** `plumbline trend`: a folder of results in, one page out. */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { trendPage } from '../../reports/html/trend-page.ts';
import { trendsOf } from '../../reports/trend.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { readReport } from './read-report.ts';
import { place } from './write-report.ts';

/** Writes the page and names what it left out. Throws `CommandFailure` without any result. */
export function trend(folder: string, { out }: { readonly out: string }): ExitCode {
  const skipped: string[] = [];
  const reports = jsonFiles(folder).flatMap((file) => {
    try {
      return [readReport(file).report];
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      skipped.push(error.message);
      return [];
    }
  });
  if (reports.length === 0) {
    const [first] = skipped;
    throw new CommandFailure(
      `${folder} holds no result${first === undefined ? '' : ` (${first})`}. Name a folder with the conformance.json of several runs.`,
      exitCodes.usage,
    );
  }
  const trends = trendsOf(reports);
  try {
    place(out, trendPage(trends));
  } catch (error) {
    throw new CommandFailure(
      `${out} could not be written: ${error instanceof Error ? error.message : String(error)}. Name another file with --out.`,
      exitCodes.usage,
    );
  }
  for (const message of skipped) process.stderr.write(`Left out: ${message}\n`);
  const runs = new Set(reports.map(({ run }) => run.id)).size;
  process.stdout.write(`${out}: ${trends.length} target(s), ${runs} run(s)\n`);
  return exitCodes.conforms;
}

/** What else stands in the folder of a report and is no result. */
const BESIDE_A_RESULT: ReadonlySet<string> = new Set(['ctrf.json', 'attestation.json']);

/** `conformance.json` in any subfolder, and every JSON file of the folder itself. */
function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => path.basename(file) === 'conformance.json' || /^[^/\\]+\.json$/u.test(file))
      .filter((file) => !BESIDE_A_RESULT.has(file))
      .toSorted()
      .map((file) => path.join(folder, file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw new CommandFailure(
      `${folder}: ${code === 'ENOENT' ? 'there is no such folder' : `it cannot be read (${String(code ?? error)})`}. Name a folder with results.`,
      exitCodes.usage,
    );
  }
}
