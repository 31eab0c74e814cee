/** `plumbline run`: preflight, the suites, the report, the exit code. */

import { randomInt, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Deviation } from '../../schemas/deviations.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { ConformanceReport, Trouble } from '../../schemas/report.ts';
import { exitCode } from '../../reports/conformance.ts';
import { Progress } from '../../reports/progress.ts';
import { visibleText } from '../../reports/visible-text.ts';
import { OutcomeReporter } from '../../reports/vitest-reporter.ts';
import { preflight } from '../drivers/preflight.ts';
import { announceEnd, loadVitest, prepareVitest } from '../runner/start-vitest.ts';
import type { PlannedTarget, RunPlan } from '../runner/selection.ts';
import { contractsWith, requireSelected, requireKnownSelection, requireProfile } from './asked.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { onInterrupt, terminalWidth } from './process.ts';
import { journalPath, requireJournal } from './journal-file.ts';
import { knownDeviations, loadPlanned, warnOfStrangers } from './inputs.ts';
import { requireReportFolder } from './report-folder.ts';
import type { RunOptions } from './run-options.ts';
import { tellLeftovers } from './commands/sweep.ts';

/** Runs the suite against the target files, or against the reference deployments without any. */
export async function run(files: readonly string[], options: RunOptions): Promise<ExitCode> {
  requireKnownSelection(options);
  const given = await Promise.all(
    files.map(async (file) => ({ file, planned: await loadPlanned(file) })),
  );
  requireDistinctNames(given.map(({ planned }) => planned));
  requireProfile(
    options.profile,
    given.map(({ planned }) => planned.target),
  );
  requireSelected(
    options,
    given.map(({ planned }) => planned.target),
  );
  const deviations = await knownDeviations(options.deviations);
  requireReportFolder(options.out);
  requireJournal(given.map(({ planned }) => planned.target));
  // While deployments start and keys are tried. What goes wrong here does so again where Vitest is used.
  void loadVitest().catch(() => undefined);
  const embedded = given.length === 0 ? await embeddedFor(options) : undefined;
  try {
    const targets = embedded?.targets ?? given.map(({ planned }) => planned);
    warnOfStrangers(
      options.deviations,
      deviations,
      targets.map(({ target }) => target.name),
    );
    const fileOf = new Map(given.map(({ file, planned }) => [planned.target.name, file]));
    return await runTargets({ targets, fileOf, deviations }, options);
  } finally {
    await embedded?.close();
  }
}

/** Who names a target file needs none of it. */
async function embeddedFor(options: RunOptions) {
  const { startEmbedded } = await import('./embedded.ts');
  return startEmbedded(contractsWith(options));
}

/** Loaded while the suites run, who mostly wait. */
async function reporting() {
  const [{ reportOf }, { tellReport }] = await Promise.all([
    import('./report-of-run.ts'),
    import('./tell-report.ts'),
  ]);
  return { reportOf, tellReport };
}

/** What is run, and what is known of it beforehand. */
interface Asked {
  readonly targets: readonly PlannedTarget[];
  /** Target files by the name of the target. */
  readonly fileOf: ReadonlyMap<string, string>;
  readonly deviations: readonly Deviation[];
}

async function runTargets(asked: Asked, options: RunOptions): Promise<ExitCode> {
  const interrupt = onInterrupt();
  try {
    const tried = await reachableOf(asked.targets, interrupt.signal);
    // Interrupted before anything was judged, the report says just that.
    const reachable = interrupt.signal.aborted ? asked.targets : tried;
    if (reachable.length === 0) return exitCodes.unreachable;
    const report = await judge({ ...asked, targets: reachable }, options, interrupt.signal);
    const { tellReport } = await reporting();
    await tellReport(report, options);
    if (report.run.partial && interrupt.signal.aborted) return exitCodes.interrupted;
    const code = exitCode(report, { strict: options.strict });
    const saysLittle = code === exitCodes.conforms || code === exitCodes.undecided;
    return saysLittle && reachable.length < asked.targets.length ? exitCodes.unreachable : code;
  } finally {
    interrupt.end();
  }
}

async function judge(
  { targets, fileOf, deviations }: Asked,
  options: RunOptions,
  signal: AbortSignal,
): Promise<ConformanceReport> {
  const startedAt = new Date();
  const plan: RunPlan = {
    runId: randomUUID().slice(0, 8),
    targets,
    seed: options.seed ?? randomInt(0x7fffffff),
    runs: options.runs,
    thorough: options.depth === 'thorough',
    only: options.only,
    section: options.section,
    profile: options.profile,
    replay: options.replay,
    shard: options.shard,
    // What is made on the built-in deployments goes with them.
    journal: fileOf.size === 0 ? builtInJournal() : journalPath(),
  };
  const outcomes: CaseOutcome[] = [];
  const troubles: Trouble[] = [];
  const live = process.stderr.isTTY && process.env['CI'] === undefined;
  const progress = new Progress(process.stderr, { live, width: terminalWidth(process.stderr, 80) });
  const reporter = new OutcomeReporter({
    onOutcome: (outcome) => {
      outcomes.push(outcome);
      progress.outcome(outcome);
    },
    onTrouble: (trouble) => troubles.push(trouble),
    onCases: (total) => progress.expect(total),
  });
  const [{ reportOf }] = await Promise.all([reporting(), runVitest(plan, reporter, signal)]);
  progress.finish();
  if (fileOf.size === 0) rmSync(plan.journal, { force: true });
  else tellLeftovers(targets, fileOf);

  return reportOf({
    plan,
    startedAt,
    outcomes,
    troubles,
    deviations,
    fileOf,
    shard: options.shard,
    decided: options.decided,
    partial: signal.aborted,
  });
}

function builtInJournal(): string {
  return path.join(tmpdir(), `plumbline-${randomUUID()}.ndjson`);
}

async function runVitest(
  plan: RunPlan,
  reporter: OutcomeReporter,
  signal: AbortSignal,
): Promise<void> {
  const before = process.exitCode;
  const vitest = await prepareVitest({ plan, reporters: [reporter] });
  // Vitest's own handlers end the process without teardown; ours cancel the run and still report.
  const end = announceEnd(plan.runId, signal);
  try {
    if (!signal.aborted) await vitest.start();
  } finally {
    end.close();
    await vitest.close();
    // The colour of Vitest's tests is not our verdict.
    process.exitCode = before;
  }
}

async function reachableOf(
  targets: readonly PlannedTarget[],
  signal: AbortSignal,
): Promise<readonly PlannedTarget[]> {
  const checked = await Promise.all(
    targets.map(async (planned) => ({ planned, problem: await preflight(planned, signal) })),
  );
  for (const { planned, problem } of checked) {
    if (problem !== undefined && !signal.aborted) {
      const { problem: what, hint } = problem;
      // A target that has no name of its own is called by its host, which the problem names.
      const { name } = planned.target;
      const whose = what.startsWith(`${name} `) ? '' : `${name}: `;
      process.stderr.write(visibleText(`${whose}${what}\n  ${hint}\n`));
    }
  }
  return checked.filter(({ problem }) => problem === undefined).map(({ planned }) => planned);
}

function requireDistinctNames(targets: readonly PlannedTarget[]): void {
  const names = targets.map(({ target }) => target.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new CommandFailure(
    `Two targets are named "${twice}". Give each a name of its own with "name:" in its target file.`,
    exitCodes.usage,
  );
}
