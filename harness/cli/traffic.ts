/** Options and report of the commands that judge other clients' traffic. */

import type { PlannedTarget } from '../runner/selection.ts';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ObservedTraffic, RunnerError } from '../../schemas/report.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { exitCode } from '../../reports/model/conclusions.ts';
import { replayCommand } from '../../reports/model/text.ts';
import { loadDeviations } from '../target/deviations.ts';
import { warnOfStrangers } from './files.ts';
import type { ReportOptions } from './commands/options.ts';
import type { ExitCode } from './exit.ts';
import { reportOf } from './report-of-run.ts';
import { printReport } from './write-report.ts';

/** The options of every command that reports on other clients' traffic. */
export interface TrafficReportOptions extends ReportOptions {
  readonly only: readonly string[];
  readonly deviations?: string;
  readonly exclusive: boolean;
}

/** The reasons that occurred, with their counts. */
export function counted(
  reasons: readonly (readonly [reason: string, count: number])[],
): ObservedTraffic['notJudged'] {
  return reasons.filter(([, count]) => count > 0).map(([reason, count]) => ({ reason, count }));
}

interface JudgedTraffic {
  readonly planned: PlannedTarget;
  /** Path of the target file, if any. */
  readonly file: string | undefined;
  readonly startedAt: Date;
  /** Absent if the judging broke. */
  readonly outcome: CaseOutcome | undefined;
  readonly troubles?: readonly RunnerError[];
  readonly observed: ObservedTraffic;
  /** The command that shows a finding again (default: that of a run). */
  readonly replay?: (requirement: string) => string;
}

/** Makes the report, writes it and prints it. */
export async function reportTraffic(
  { planned, file, startedAt, outcome, troubles = [], observed, replay }: JudgedTraffic,
  options: TrafficReportOptions,
): Promise<ExitCode> {
  const { target } = planned;
  const deviations = loadDeviations(options.deviations);
  warnOfStrangers(options.deviations, deviations, [target.name]);
  const judged = reportOf({
    plan: {
      runId: randomUUID().slice(0, 8),
      targets: [planned],
      // Nothing random was used.
      seed: 0,
      runs: 0,
      only: options.only,
      journal: '',
    },
    startedAt,
    outcomes: outcome === undefined ? [] : [outcome],
    troubles,
    deviations,
    fileOf: new Map(file === undefined ? [] : [[target.name, file]]),
    // Which requests occur is up to the clients, so no share has to be decided.
    decided: 0,
    // No case produced the finding, so the command is a run of the requirement.
    replay: replay ?? ((id) => replayCommand(file && path.resolve(file), id, 0)),
  });
  const report = { ...judged, targets: judged.targets.map((one) => ({ ...one, observed })) };
  await printReport(report, options);
  return exitCode(report, { strict: options.strict });
}
