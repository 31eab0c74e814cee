/** `plumbline report`: further forms of a result that is already there. */

import path from 'node:path';
import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';
import { reporterOption } from './options.ts';

interface ReportOptions {
  readonly out?: string;
  readonly reporter: readonly string[];
}

/** Adds `plumbline report` to the program. */
export function registerReport(program: Command, setExitCode: SetExitCode): void {
  program
    .command('report')
    .description('write further forms of an existing result')
    .argument('<FILE>', 'conformance.json of a run')
    .addOption(reporterOption().makeOptionMandatory())
    .option('--out <DIR>', 'folder of the forms; the folder of the result unless told')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline report conformance-report/conformance.json --reporter junit --reporter markdown',
    )
    .action(async (file: string, options: ReportOptions) => {
      const [{ readReport }, { requireReportFolder }, { writeForms }, { exitCodes }] =
        await Promise.all([
          import('../read-report.ts'),
          import('../report-folder.ts'),
          import('../write-report.ts'),
          import('../exit.ts'),
        ]);
      const { report } = readReport(file);
      const out = options.out ?? path.dirname(file);
      requireReportFolder(out);
      for (const written of await writeForms(report, { out, reporter: options.reporter })) {
        process.stdout.write(`${written}\n`);
      }
      setExitCode(exitCodes.conforms);
    });
}
