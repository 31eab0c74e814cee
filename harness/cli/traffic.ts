/**
 * What the commands that judge other clients' traffic share: the thread that judges it, so that the proxy never waits,
 * their options and their report.
 */

import type { PlannedTarget } from '../runner/selection.ts';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ObservedTraffic, RunnerError } from '../../schemas/report.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { exitCode } from '../../reports/model/conclusions.ts';
import { replayCommand } from '../../reports/model/text.ts';
import { loadDeviations } from '../target/deviations.ts';
import { warnOfStrangers } from './files.ts';
import type { ReportOptions, RunOptions } from './commands/options.ts';
import type { ExitCode } from './exit.ts';
import { reportOf } from './report-of-run.ts';
import { printReport } from './write-report.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { JudgedView } from '../passive/traffic-judge.ts';
import type { JudgeOptions } from '../passive/followers.ts';
import { JobThread } from '../proving/threads.ts';

/** The options of every command that reports on other clients' traffic. */
export interface TrafficReportOptions
  extends ReportOptions, Pick<RunOptions, 'only' | 'deviations'> {
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

export interface Judging {
  /** Takes an exchange that has ended, unless too many are waiting. Returns at once. */
  take(exchange: Exchange): void;
  /** Exchanges that were dropped because judging fell behind. */
  readonly dropped: number;
  view(): Promise<JudgedView>;
  /** Judges the waiting exchanges and ends. Rejects with an error that broke the judging. */
  finish(): Promise<CaseOutcome>;
}

/** A job for the thread. `gap` marks dropped exchanges. */
export type JudgingJob =
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'gap' | 'view' | 'finish' };

/** The reply to `view` and `finish`. */
export interface JudgingAnswer {
  readonly view?: JudgedView;
  readonly outcome?: CaseOutcome;
}

/** Maximum number and size of the exchanges that wait for the thread. */
const MAX_WAITING = 5_000;
const MAX_WAITING_KIB = 128 * 1024;

/** Starts the thread. Works from compiled code alone, since not every Node can load TypeScript in a thread. */
export function startJudging(options: JudgeOptions): Judging {
  const module = new URL('./judging-thread.js', import.meta.url);
  const thread = new JobThread<JudgingJob, JudgingAnswer>(module, options);
  const waiting = { exchanges: 0, kib: 0 };
  let dropped = 0;
  let hasGap = false;
  let isBroken = false;
  const post = async (job: JudgingJob, kib: number): Promise<void> => {
    waiting.exchanges += 1;
    waiting.kib += kib;
    try {
      await thread.ask(job);
    } catch {
      // The next `view` or `finish` reports the error.
      isBroken = true;
    }
    waiting.exchanges -= 1;
    waiting.kib -= kib;
  };
  return {
    get dropped() {
      return dropped;
    },
    take: (exchange) => {
      if (isBroken || waiting.exchanges >= MAX_WAITING || waiting.kib >= MAX_WAITING_KIB) {
        dropped += 1;
        hasGap = true;
        return;
      }
      if (hasGap) void post({ kind: 'gap' }, 0);
      hasGap = false;
      const { request, response } = exchange;
      const kib = Math.ceil((request.body.length + (response?.body.length ?? 0)) / 1024);
      void post({ kind: 'exchange', exchange }, kib);
    },
    view: async () => {
      const { view } = await thread.ask({ kind: 'view' });
      if (view === undefined) throw new Error('the judging thread gave no view');
      return view;
    },
    finish: async () => {
      try {
        const { outcome } = await thread.ask({ kind: 'finish' });
        if (outcome === undefined) throw new Error('the judging thread gave no outcome');
        return outcome;
      } finally {
        await thread.terminate();
      }
    },
  };
}
