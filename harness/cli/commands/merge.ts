/** `plumbline merge`: merges the results of shards into one report. */

import type { Command } from 'commander';
import { type ExitCode, exitCodes, type Ends, refuse } from '../exit.ts';
import { percentNumber, type ReportOptions, reportOptions, type RunOptions } from './options.ts';
import { requireJudgedProfiles } from '../selection.ts';
import { allRequirements, allProfiles } from '../../../schemas/contracts.ts';
import type { ConformanceReport } from '../../../schemas/report.ts';
import { catalogueDigest } from '../../../reports/model/verdict.ts';
import { exitCode } from '../../../reports/model/conclusions.ts';
import { present } from '../../../reports/model/text.ts';
import { mergeReports, missingShards } from '../../../reports/model/merge.ts';
import { type ReadReport, readReport, requireReportFolder } from '../files.ts';
import { printReport } from '../write-report.ts';

/** Adds the options and the action of `plumbline merge`. */
export function register(command: Command, ends: Ends): void {
  const own = command
    .argument('<FILE...>', 'conformance.json of each shard, in any order')
    .option(
      '--decided <PERCENT>',
      'share of the stated requirements that must be decided; that of the shards unless told',
      percentNumber,
    );
  reportOptions(own, 'conformance-merged', 'requireProfile')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline run staging.yaml --seed 7 --shard 1/2 --out one\n  plumbline run staging.yaml --seed 7 --shard 2/2 --out two\n  plumbline merge one/conformance.json two/conformance.json --out whole',
    )
    .action(ends(merge));
}

type MergeOptions = ReportOptions & Pick<RunOptions, 'decided' | 'requireProfile'>;

/** Merges, writes the report and prints it. Never exits 0 if a shard is missing. Throws `CommandFailure`. */
async function merge(files: readonly string[], options: MergeOptions): Promise<ExitCode> {
  requireReportFolder(options.out, options.force);
  const inputs = files.map(readReport);
  const report = merged(inputs, options);
  await printReport(report, options);
  const missing = missingShards(report);
  if (missing.length > 0) {
    const of = report.run.parts?.[0]?.shard.of ?? 0;
    process.stderr.write(
      `Missing: shard ${missing.join(', ')} of ${of}. The report is partial; merge again with all of them.\n`,
    );
  }
  const code = exitCode(report, options);
  return code === exitCodes.conforms && report.run.partial ? exitCodes.undecided : code;
}

function merged(
  inputs: readonly ReadReport[],
  { decided, requireProfile = [] }: MergeOptions,
): ConformanceReport {
  const report = mergeReports(inputs, allProfiles);
  requireOwnCatalogue(report);
  requireJudgedProfiles(
    requireProfile,
    report.targets.map(({ contract }) => contract),
  );
  const required = [...(report.run.requiredProfiles ?? []), ...requireProfile];
  return {
    ...report,
    run: {
      ...report.run,
      ...present({ decided }),
      ...(required.length === 0 ? {} : { requiredProfiles: required }),
    },
  };
}

/** The summary is counted again with the catalogue of this plumbline, so the shards must have the same one. */
function requireOwnCatalogue({ tool }: ConformanceReport): void {
  if (tool.catalogueDigest === catalogueDigest(allRequirements)) return;
  refuse(
    `The shards were run by plumbline ${tool.version} with another catalogue than this one's. Merge them with the plumbline that ran them.`,
  );
}
