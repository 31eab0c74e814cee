/** Reads the command line and hands over to one command. Commands load what they need when they are called. */

import { Command, CommanderError } from 'commander';
import { registerAllure } from './commands/allure.ts';
import { registerAttest } from './commands/attest.ts';
import { registerAudit } from './commands/audit.ts';
import { registerBackend } from './commands/backend.ts';
import { registerCheck } from './commands/check.ts';
import { CommandFailure, type ExitCode, exitCodes, type SetExitCode } from './exit.ts';
import { registerExport } from './commands/export.ts';
import { registerInit } from './commands/init.ts';
import { registerObserve } from './commands/observe.ts';
import { registerPlan } from './commands/plan.ts';
import { registerRequirements } from './commands/requirements.ts';
import { registerCompare } from './commands/compare.ts';
import { registerReplay } from './commands/replay.ts';
import { registerReport } from './commands/report.ts';
import { registerMerge } from './commands/merge.ts';
import { registerRun } from './commands/run.ts';
import { registerServe } from './commands/serve.ts';
import { registerSweep } from './commands/sweep.ts';
import { registerTrend } from './commands/trend.ts';
import { version } from './version.ts';

const examples = `
Examples:
  plumbline run                          both contracts against the built-in reference deployments
  plumbline init                         describes a deployment in a target file
  plumbline check target.yaml            does the file fit the deployment?
  plumbline run staging.yaml             one deployment, as its target file describes it
  plumbline run staging.yaml --only compute.pagination --seed 7
  plumbline replay conformance-report/conformance.json ID    one broken requirement again
  plumbline run staging.yaml --seed 7 --shard 1/4 --out one  a part of a run, for plumbline merge
  plumbline compare before.json after.json     what broke and healed between two results
  plumbline trend nightly                what became of a deployment over many runs
  plumbline attest RESULT.json --key key.pem   signs a result; plumbline verify checks it
  plumbline observe staging.yaml         judges what real clients send through it
  plumbline audit session.har            judges recorded traffic
  plumbline sweep staging.yaml           removes what a run that was killed left there
  plumbline serve compute                a conforming server to write a client against
  plumbline backend --listen 0.0.0.0:9100   the scripted engine for the agents of a staging router

Exit codes: 0 conforms, 1 violates the contract, 2 usage or target file, 3 not reachable, 4 the suite failed,
5 undecided: nothing broken was seen, and too little was decided, 130 interrupted.`;

/** Runs the command and returns its exit code; never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: ExitCode = exitCodes.conforms;
  const setExitCode: SetExitCode = (code) => {
    exitCode = code;
  };
  const program = new Command('plumbline')
    .description('Tells whether a server keeps the compute or the router contract, with evidence.')
    .version(version)
    .showSuggestionAfterError(true)
    .addHelpText('after', examples);
  registerRun(program, setExitCode);
  registerInit(program, setExitCode);
  registerCheck(program, setExitCode);
  registerPlan(program);
  registerRequirements(program);
  registerReplay(program, setExitCode);
  registerMerge(program, setExitCode);
  registerCompare(program, setExitCode);
  registerReport(program, setExitCode);
  registerTrend(program, setExitCode);
  registerAllure(program, setExitCode);
  registerAttest(program, setExitCode);
  registerExport(program);
  registerServe(program);
  registerSweep(program, setExitCode);
  registerBackend(program);
  registerObserve(program, setExitCode);
  registerAudit(program, setExitCode);
  for (const command of [program, ...program.commands]) command.exitOverride();

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

/** Says what went wrong in the words of whoever found it, and picks the exit code. */
function explain(error: unknown): number {
  // Commander has written its own message by now.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof CommandFailure) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof Error && error.name === 'TargetFileError') {
    process.stderr.write(`${error.message}\n`);
    return exitCodes.usage;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`plumbline failed, which is a mistake of its own:\n${text}\n`);
  return exitCodes.suiteFailed;
}
