/** `plumbline report`: writes an existing result in further formats. */

import { readReport, requireReportFolder } from '../files.ts';
import { writeForms } from '../write-report.ts';
import { exitCodes, type Ends } from '../exit.ts';
import path from 'node:path';
import type { Command } from 'commander';
import { reporterOption } from './options.ts';

interface ReportOptions {
  readonly out?: string;
  readonly reporter: readonly string[];
}

/** Adds the options and the action of `plumbline report`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<FILE>', 'conformance.json of a run')
    .option('--out <DIR>', 'folder of the forms; the folder of the result unless told')
    .addOption(reporterOption().makeOptionMandatory())
    .addHelpText(
      'after',
      '\nExample:\n  plumbline report conformance-report/conformance.json --reporter junit --reporter markdown',
    )
    .action(
      ends(async (file: string, options: ReportOptions) => {
        const { report } = readReport(file);
        const out = options.out ?? path.dirname(file);
        requireReportFolder(out, true);
        for (const written of await writeForms(report, { out, reporter: options.reporter })) {
          process.stdout.write(`${written}\n`);
        }
        return exitCodes.conforms;
      }),
    );
}
