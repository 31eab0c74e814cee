/** `plumbline compare`: two results or more in, what changed out. */

import type { ConformanceReport } from '../../schemas/report.ts';
import { compareReports, comparisonExitCode, type Comparison } from '../../reports/compare.ts';
import { comparisonMarkdown, comparisonText } from '../../reports/compare-text.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { readReport } from './read-report.ts';
import { runAgain } from './run-again.ts';
import { terminalWidth } from './terminal-width.ts';

export interface CompareOptions {
  readonly repeat?: number;
  readonly strict: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Compares, tells, and exits 1 when something broke. Throws `CommandFailure`. */
export async function compare(
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
    throw new CommandFailure(
      `${beforeFile} and ${afterFiles.join(', ')} have no target in common: ${comparison.unmatched.join('; ')}. Compare results of one contract.`,
      exitCodes.usage,
    );
  }
  process.stdout.write(`${shown(comparison, options)}\n`);
  return comparisonExitCode(comparison, options);
}

function shown(comparison: Comparison, options: CompareOptions): string {
  if (options.json === true) return JSON.stringify(comparison, null, 2);
  if (options.markdown === true) return comparisonMarkdown(comparison);
  return comparisonText(comparison, {
    colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    width: terminalWidth(process.stdout, 100),
  });
}

/** Disagreement is only told apart from change when the later results are of one deployment. */
function requireSameDeployment(after: readonly ReturnType<typeof readReport>[]): void {
  const targetsOf = ({ report }: ReturnType<typeof readReport>): string =>
    report.targets
      .map(({ name, contract, baseUrl }) => `${name} (${contract}, ${baseUrl})`)
      .join('; ');
  const [first, ...others] = after;
  const odd = others.find((each) => first !== undefined && targetsOf(each) !== targetsOf(first));
  if (first === undefined || odd === undefined) return;
  throw new CommandFailure(
    `${first.name} and ${odd.name} are of different targets: ${targetsOf(first)} and ${targetsOf(odd)}. Later results must be of one deployment; compare the others one by one.`,
    exitCodes.usage,
  );
}

/** What changed, run again against the target files of the later result. */
async function repeated(
  before: ConformanceReport,
  after: readonly ConformanceReport[],
  times: number,
): Promise<readonly ConformanceReport[]> {
  const [latest] = after;
  if (times === 0 || latest === undefined) return [];
  const changed = new Set(compareReports(before, after).changes.map(({ id }) => id));
  const ids = latest.requirements.map(({ id }) => id).filter((id) => changed.has(id));
  if (ids.length === 0) return [];
  return runAgain(latest, [...new Set(ids)], times);
}
