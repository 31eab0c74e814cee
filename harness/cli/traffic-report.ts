/** The ordinary report of traffic that others made, and its exit code. */

import { randomUUID } from 'node:crypto';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { ConformanceReport, ObservedTraffic, Trouble } from '../../schemas/report.ts';
import { exitCode } from '../../reports/conformance.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { knownDeviations, warnOfStrangers } from './inputs.ts';
import type { ExitCode } from './exit.ts';
import type { TrafficReportOptions } from './traffic-options.ts';
import { reportOf } from './report-of-run.ts';
import { tellReport } from './tell-report.ts';

export interface JudgedTraffic {
  readonly planned: PlannedTarget;
  /** Path of the target file; undefined without one. */
  readonly file: string | undefined;
  readonly startedAt: Date;
  /** Absent when judging broke. */
  readonly outcome: CaseOutcome | undefined;
  readonly troubles: readonly Trouble[];
  readonly observed: ObservedTraffic;
  /** The command that shows a finding again; that of a run unless told. */
  readonly replay?: (requirement: string) => string;
}

/** Makes the report, writes it and tells it. */
export async function reportTraffic(
  traffic: JudgedTraffic,
  options: TrafficReportOptions,
): Promise<ExitCode> {
  const report = await reportOfTraffic(traffic, options);
  await tellReport(report, options);
  return exitCode(report, { strict: options.strict });
}

async function reportOfTraffic(
  { planned, file, startedAt, outcome, troubles, observed, replay }: JudgedTraffic,
  options: TrafficReportOptions,
): Promise<ConformanceReport> {
  const { target } = planned;
  const deviations = await knownDeviations(options.deviations);
  warnOfStrangers(options.deviations, deviations, [target.name]);
  const report = reportOf({
    plan: {
      runId: randomUUID().slice(0, 8),
      targets: [planned],
      // Nothing of it was drawn.
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
    shard: undefined,
    // What its clients ask for is not for us to choose.
    decided: 0,
    partial: false,
    replay,
  });
  return { ...report, targets: report.targets.map((one) => ({ ...one, observed })) };
}
