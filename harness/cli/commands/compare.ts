/** `plumbline compare`: shows what changed between two results. */

import path from 'node:path';
import { type Command, Option } from 'commander';
import { ended, type ExitCode, exitCodes, type Ends, onStdout, refuse } from '../exit.ts';
import { wholeNumber } from './options.ts';
import type { ConformanceReport } from '../../../schemas/report.ts';
import {
  compareReports,
  type Comparison,
  comparisonExitCode,
} from '../../../reports/model/compare.ts';
import { comparisonMarkdown, comparisonText } from '../../../reports/formats/compare-text.ts';
import { COMMAND, inTemporaryFolder, type ReadReport, readReport } from '../files.ts';

const MAX_REPEATS = 100;

/** Adds the options and the action of `plumbline compare`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<BEFORE>', 'conformance.json of the earlier run')
    .argument('<AFTER...>', 'of the later run; several of one deployment tell what is unstable')
    .option('--strict', 'exit 1 for broken implied requirements too', false)
    .option(
      '--fail-on-lost',
      'exit 5 when a requirement that held before is not exercised or inconclusive now',
    )
    .addOption(
      new Option(
        '--repeat <N>',
        'run what changed N more times, to tell what is unstable',
      ).argParser(wholeNumber(1, MAX_REPEATS)),
    )
    .addOption(new Option('--json', 'the comparison as JSON').conflicts('markdown'))
    .addOption(new Option('--markdown', 'the comparison as Markdown').conflicts('json'))
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing broke, 1 something broke, 2 usage or unreadable results, 5 something went (--fail-on-lost).\n\nExample:\n  plumbline compare last-release.json conformance-report/conformance.json --markdown',
    )
    .action(ends(compare));
}

interface CompareOptions {
  readonly repeat?: number;
  readonly strict: boolean;
  readonly failOnLost?: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Compares, prints the comparison, and exits 1 if something broke. Throws `CommandFailure`. */
async function compare(
  beforeFile: string,
  afterFiles: readonly string[],
  options: CompareOptions,
): Promise<ExitCode> {
  const before = readReport(beforeFile);
  const after = afterFiles.map(readReport);
  requireSameDeployment(after);
  const reports = after.map(({ report }) => report);
  const comparison = compareReports(before.report, [
    ...reports,
    ...(await repeated(before.report, reports, options.repeat ?? 0)),
  ]);
  if (comparison.unmatched.length > 0 && comparison.changes.length + comparison.unchanged === 0) {
    refuse(
      `${beforeFile} and ${afterFiles.join(', ')} have no target in common: ${comparison.unmatched.join('; ')}. Compare results of one contract.`,
    );
  }
  process.stdout.write(`${shown(comparison, options)}\n`);
  return comparisonExitCode(comparison, options);
}

function shown(comparison: Comparison, options: CompareOptions): string {
  if (options.json === true) return JSON.stringify(comparison, null, 2);
  if (options.markdown === true) return comparisonMarkdown(comparison);
  return comparisonText(comparison, onStdout());
}

/** Later results that disagree show instability only if they are of the same deployment. */
function requireSameDeployment(after: readonly ReadReport[]): void {
  const targetsOf = ({ report }: ReadReport): string =>
    report.targets
      .map(({ name, contract, baseUrl }) => `${name} (${contract}, ${baseUrl})`)
      .join('; ');
  const [first, ...others] = after;
  const odd = others.find((each) => first !== undefined && targetsOf(each) !== targetsOf(first));
  if (first === undefined || odd === undefined) return;
  refuse(
    `${first.name} and ${odd.name} are of different targets: ${targetsOf(first)} and ${targetsOf(odd)}. Later results must be of one deployment; compare the others one by one.`,
  );
}

/** Repeats the changed requirements with the target files of the later result. */
async function repeated(
  before: ConformanceReport,
  after: readonly ConformanceReport[],
  times: number,
): Promise<readonly ConformanceReport[]> {
  const [latest] = after;
  if (times === 0 || latest === undefined) return [];
  const changed = new Set(compareReports(before, after).changes.map(({ id }) => id));
  const known = new Set(latest.requirements.map(({ id }) => id));
  const ids = [...known].filter((id) => changed.has(id));
  return ids.length === 0 ? [] : rerun(latest, ids, times);
}

/** Exit codes of runs that left a result. */
const judged: ReadonlySet<number | string> = new Set([
  exitCodes.conforms,
  exitCodes.violates,
  exitCodes.suiteFailed,
  exitCodes.undecided,
]);

/** Runs the requirements `times` times with the seed of the report. Throws `CommandFailure`. */
export async function rerun(
  report: ConformanceReport,
  ids: readonly string[],
  times: number,
  command: string = COMMAND,
): Promise<readonly ConformanceReport[]> {
  const files = report.targets.flatMap(({ file }) => file ?? []);
  const embedded = files.length === 0;
  if (!embedded && files.length < report.targets.length) {
    refuse(
      'The later result does not tell every target file, so that nothing can be run again. Run it yourself, and name the results after it.',
    );
  }
  return inTemporaryFolder(async (folder) => {
    const results: ConformanceReport[] = [];
    for (let time = 1; time <= times; time += 1) {
      process.stderr.write(`Running ${ids.length} again, ${time} of ${times}\n`);
      const out = path.join(folder, String(time));
      const only = ids.flatMap((id) => ['--only', id]);
      const asked = ['run', ...files, ...only, '--seed', String(report.run.seed), '--out', out];
      const stdio = ['ignore', 'ignore', 'inherit'] as const;
      const code = await ended(process.execPath, [command, ...asked], [...stdio]);
      if (!judged.has(code)) {
        refuse(
          `The repetition ended with exit code ${code}; what it says is above. Mend that, or leave --repeat out.`,
        );
      }
      results.push(readReport(path.join(out, 'conformance.json')).report);
    }
    return results;
  });
}
