/** `plumbline trend`: shows the history of many results on one page. */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { codeOrMessage } from '../../exchange/exchange.ts';
import { CommandFailure, type ExitCode, exitCodes, type Ends, refuse } from '../exit.ts';
import { UnreadableReport } from '../../../reports/formats/json.ts';
import { trendPage } from '../../../reports/html/trend-page.ts';
import { plural } from '../../../reports/model/text.ts';
import { trendsOf } from '../../../reports/model/trend.ts';
import { readReport, writeOrFail } from '../files.ts';

/** Adds the options and the action of `plumbline trend`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<DIR>', 'folder with results, in any subfolders')
    .option('--out <FILE>', 'the page', 'trend.html')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline run staging.yaml --out nightly/$(date -I)\n  plumbline trend nightly',
    )
    .action(ends(trend));
}

/** Writes the page and lists the files that it skipped. Throws `CommandFailure` without any result. */
function trend(folder: string, { out }: { readonly out: string }): ExitCode {
  const skipped: string[] = [];
  const reports = jsonFiles(folder).flatMap((file) => {
    try {
      return [readReport(file).report];
    } catch (error) {
      if (!(error instanceof CommandFailure || error instanceof UnreadableReport)) throw error;
      skipped.push(error.message);
      return [];
    }
  });
  if (reports.length === 0) {
    const [first] = skipped;
    refuse(
      `${folder} holds no result${first === undefined ? '' : ` (${first})`}. Name a folder with the conformance.json of several runs.`,
    );
  }
  const trends = trendsOf(reports);
  writeOrFail(out, trendPage(trends));
  for (const message of skipped) process.stderr.write(`Left out: ${message}\n`);
  const runs = new Set(reports.map(({ run }) => run.id)).size;
  process.stdout.write(`${out}: ${plural(trends.length, 'target')}, ${plural(runs, 'run')}\n`);
  return exitCodes.conforms;
}

/** JSON files in the folder of a report that are not results. */
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
    const code = codeOrMessage(error);
    const problem = code === 'ENOENT' ? 'there is no such folder' : `it cannot be read (${code})`;
    return refuse(`${folder}: ${problem}. Name a folder with results.`);
  }
}
