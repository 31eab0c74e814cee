/** `plumbline run`: preflight, suites, report and exit code. */

import type { PlannedTarget, RunPlan } from '../../runner/selection.ts';
import { RunEnded } from '../../runner/case.ts';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { concealed, startEmbedded, withHeaders } from '../planned.ts';
import type { Deviation } from '../../../schemas/deviations.ts';
import type { CaseOutcome } from '../../../schemas/outcome.ts';
import type { ConformanceReport, RunnerError } from '../../../schemas/report.ts';
import { exitCode } from '../../../reports/model/conclusions.ts';
import { Progress } from '../../../reports/formats/progress.ts';
import { visibleText } from '../../../reports/model/text.ts';
import { OutcomeReporter } from '../../../reports/vitest-reporter.ts';
import { preflight } from '../../contracts/preflight.ts';
import { prepareVitest, announceEnd } from '../../runner/start-vitest.ts';
import {
  breaksContract,
  contractsWith,
  lastFailed,
  planOf,
  requireDistinctNames,
  requireJudgedProfiles,
  requireKnownCases,
  requireProfile,
  requireSelected,
  shownByAny,
} from '../selection.ts';
import { loadTarget } from '../../contracts/target-file.ts';
import { loadDeviations } from '../../target/deviations.ts';
import {
  type ExitCode,
  exitCodes,
  firstCrash,
  onInterrupt,
  type Ends,
  tellSilence,
  terminalWidth,
} from '../exit.ts';
import { requireJournal, requireReportFolder, warnOfStrangers } from '../files.ts';
import {
  collect,
  percentNumber,
  reportOptions,
  type RunOptions,
  runsNumber,
  seedNumber,
  shardNumbers,
} from './options.ts';
import { printLeftovers } from './sweep.ts';

/** Runs the suite against the target files (default: the built-in reference deployments). */
export async function run(files: readonly string[], options: RunOptions): Promise<ExitCode> {
  const plan = planOf(options);
  const given = await Promise.all(
    files.map(async (file) => withHeaders(await loadTarget(file), options.header)),
  );
  const described = given.map(({ target }) => target);
  requireDistinctNames(described);
  requireProfile(options.profile, described);
  requireSelected(options, described);
  const isEmbedded = given.length === 0;
  const contracts = isEmbedded ? contractsWith(options) : described.map(({ contract }) => contract);
  requireJudgedProfiles(options.requireProfile ?? [], contracts);
  const deviations = loadDeviations(options.deviations);
  requireReportFolder(options.out, options.force);
  requireJournal(given, options.journal);
  const widened = shownByAny({ ...options, cases: options.case });
  if (widened !== undefined) process.stderr.write(`${widened}\n`);
  const embedded = isEmbedded ? await startEmbedded(contracts) : undefined;
  try {
    const targets = embedded?.targets ?? given;
    const names = targets.map(({ target }) => target.name);
    warnOfStrangers(options.deviations, deviations, names);
    const fileOf = new Map(files.map((file, at) => [names[at] ?? '', file]));
    return await runTargets({ plan, targets, fileOf, deviations }, options);
  } finally {
    await embedded?.close();
  }
}

/** Loaded while the suites run, since these mostly wait. */
async function reporting() {
  const [{ reportOf }, { printReport }] = await Promise.all([
    import('../report-of-run.ts'),
    import('../write-report.ts'),
  ]);
  return { reportOf, printReport };
}

/** The targets of a run and what is known about them. */
interface Asked {
  readonly plan: ReturnType<typeof planOf>;
  readonly targets: readonly PlannedTarget[];
  /** Target files by target name. */
  readonly fileOf: ReadonlyMap<string, string>;
  readonly deviations: readonly Deviation[];
}

async function runTargets(asked: Asked, options: RunOptions): Promise<ExitCode> {
  const interrupt = onInterrupt(() => {
    printLeftovers(asked.targets, asked.fileOf, options.journal);
  }, 'ending what is under way, and writing what was seen');
  try {
    const tried = await reachableOf(asked.targets, interrupt.signal);
    // If interrupted before anything was judged, the report covers every target and says so.
    const reachable = interrupt.signal.aborted ? asked.targets : tried;
    if (reachable.length === 0) return exitCodes.unreachable;
    const report = await judge({ ...asked, targets: reachable }, options, interrupt.signal);
    const { printReport } = await reporting();
    await printReport(report, options);
    if (report.run.partial && interrupt.signal.aborted) return exitCodes.interrupted;
    const code = exitCode(report, { strict: options.strict });
    const saysLittle = code === exitCodes.conforms || code === exitCodes.undecided;
    return saysLittle && reachable.length < asked.targets.length ? exitCodes.unreachable : code;
  } finally {
    interrupt.end();
  }
}

async function judge(
  { plan: asked, targets, fileOf, deviations }: Asked,
  options: RunOptions,
  interrupted: AbortSignal,
): Promise<ConformanceReport> {
  const startedAt = new Date();
  const plan: RunPlan = {
    ...asked,
    targets,
    cases: options.case,
    replay: options.replay,
    shard: options.shard,
    // Instances of the built-in deployments disappear with them, so a temporary journal suffices.
    journal:
      fileOf.size === 0 ? path.join(tmpdir(), `plumbline-${randomUUID()}.ndjson`) : options.journal,
  };
  const found = new AbortController();
  const signal = AbortSignal.any([interrupted, found.signal]);
  const outcomes: CaseOutcome[] = [];
  const troubles: RunnerError[] = [];
  const live = process.stderr.isTTY && process.env['CI'] === undefined;
  const progress = new Progress(process.stderr, { live, width: terminalWidth(process.stderr, 80) });
  const ticking = setInterval(() => progress.tick(), 1_000);
  const reporter = new OutcomeReporter({
    onOutcome: (outcome) => {
      outcomes.push(outcome);
      progress.outcome(outcome);
      if (options.bail === true && breaksContract(outcome, { ...options, deviations }))
        found.abort(new RunEnded('the run ended at the first broken requirement, as --bail asks'));
    },
    onError: (trouble) => troubles.push(trouble),
    onCases: (total) => progress.expect(total),
  });
  const running = Promise.all([reporting(), runVitest(plan, reporter, signal)]);
  const [{ reportOf }, crash] = await running.finally(() => clearInterval(ticking));
  if (crash !== undefined) troubles.push({ target: '', case: 'the run', message: crash });
  progress.finish();
  if (fileOf.size === 0) rmSync(plan.journal ?? '', { force: true });
  else printLeftovers(targets, fileOf, options.journal);

  return reportOf({
    plan,
    startedAt,
    outcomes,
    troubles,
    deviations,
    fileOf,
    decided: options.decided,
    requiredProfiles: options.requireProfile,
    partial: signal.aborted || crash !== undefined,
    again: options.header?.flatMap((line) => ['--header', concealed(line)]),
  });
}

/** Runs the cases. If the run crashed, returns the reason; earlier outcomes remain valid. */
async function runVitest(
  plan: RunPlan,
  reporter: OutcomeReporter,
  signal: AbortSignal,
): Promise<string | undefined> {
  const before = process.exitCode;
  const vitest = await prepareVitest({ plan, reporters: [reporter] });
  // Vitest's own signal handlers end the process without teardown. Ours cancel the run and still report.
  const end = announceEnd(plan.runId, signal);
  const crash = firstCrash();
  try {
    if (signal.aborted) return undefined;
    return await Promise.race([vitest.start().then(() => undefined), crash.crashed]);
  } finally {
    end.close();
    // If a thread has died, `close` would wait for it forever.
    await Promise.race([vitest.close(), crash.crashed]);
    crash.end();
    // The exit code of Vitest's tests is not our verdict.
    process.exitCode = before;
  }
}

async function reachableOf(
  targets: readonly PlannedTarget[],
  signal: AbortSignal,
): Promise<readonly PlannedTarget[]> {
  const checked = await Promise.all(
    targets.map(async (planned) => {
      const silence = tellSilence(planned.target.baseUrl);
      try {
        return { planned, problem: await preflight(planned, signal) };
      } finally {
        clearInterval(silence);
      }
    }),
  );
  for (const { planned, problem } of checked) {
    if (problem !== undefined && !signal.aborted) {
      const { problem: what, hint } = problem;
      // A target without a name is called by its host, which the problem already names.
      const { name } = planned.target;
      const whose = what.startsWith(`${name} `) ? '' : `${name}: `;
      process.stderr.write(visibleText(`${whose}${what}\n  ${hint}\n`));
    }
  }
  return checked.filter(({ problem }) => problem === undefined).map(({ planned }) => planned);
}

/** Adds the options and the action of `plumbline run`. */
export function register(command: Command, ends: Ends): void {
  const own = command
    .argument(
      '[TARGET...]',
      'target files; without any, the built-in reference deployments are run',
    )
    .option('--section <NAME>', 'only the requirements of one section')
    .option(
      '--case <NAME>',
      'only the case with this name, as a report gives it (repeatable)',
      collect,
      [],
    )
    .option('--profile <NAME>', 'only the requirements of one profile')
    .option(
      '--seed <N>',
      'seed of everything random; drawn and reported when not given',
      seedNumber,
    )
    .option('--runs <N>', 'values that a property tries, as a number', runsNumber)
    .option(
      '--decided <PERCENT>',
      'share of the stated requirements that the target file lets a run exercise which must be decided',
      percentNumber,
      90,
    )
    .option('--shard <I/N>', 'run part I of N, to be merged later', shardNumbers)
    .option('--bail', 'end the run at the first stated requirement that is broken')
    .option(
      '--last-failed',
      'only what the result in the folder of the report says is broken; everything where nothing is',
    );
  reportOptions(
    own,
    'conformance-report',
    'depth',
    'only',
    'requireProfile',
    'deviations',
    'header',
    'journal',
  )
    .addHelpText(
      'after',
      `
Exit codes: 0 conforms, 1 violates the contract, 2 usage or target file, 3 not reachable, 4 the suite failed,
5 undecided: nothing broken was seen, and too little was decided (see --decided and --require-profile),
130 interrupted. Where nothing was exercised it is never 0.`,
    )
    .action(
      ends(async (files: readonly string[], options: RunOptions) => {
        await requireKnownCases(options.case);
        const repeated = options.lastFailed === true ? lastFailed(options.out) : {};
        return run(files, { ...options, ...repeated });
      }),
    );
}
