/** Reads the command line and runs one command. Only this command is loaded. */

import { Command, CommanderError } from 'commander';
import { CommandFailure, type ExitCode, exitCodes, type Ends } from './exit.ts';
import { version } from './version.ts';

interface LazyCommand {
  readonly usage: string;
  readonly summary: string;
  /** Loads the file with its options and action. */
  readonly load: () => Promise<{
    readonly register: (command: Command, ends: Ends) => void;
  }>;
}

/** In the order of the help. */
const commands: Readonly<Record<string, LazyCommand>> = {
  run: {
    usage: '[options] [TARGET...]',
    summary: 'run the suite against deployments, and write the report',
    load: async () => import('./commands/run.ts'),
  },
  init: {
    usage: '[options]',
    summary: 'write a commented target file, with what reads alone find out',
    load: async () => import('./commands/init.ts'),
  },
  check: {
    usage: '[options] <TARGET...>',
    summary: 'try a target file against its deployment before a run',
    load: async () => import('./commands/check.ts'),
  },
  fixtures: {
    usage: '[options] <CONTRACT>',
    summary: 'write what to set up on a router for a full run, or compare one with it',
    load: async () => import('./commands/fixtures.ts'),
  },
  plan: {
    usage: '[options] <TARGET...>',
    summary: 'say what a run would exercise, send, change and leave out; sends nothing',
    load: async () => import('./commands/plan.ts'),
  },
  requirements: {
    usage: '[options] [ID]',
    summary: 'list what is judged, or explain one requirement',
    load: async () => import('./commands/requirements.ts'),
  },
  replay: {
    usage: '[options] <RESULT> <ID>',
    summary: 'judge one broken requirement of a result again, with its seed and counterexample',
    load: async () => import('./commands/replay.ts'),
  },
  merge: {
    usage: '[options] <FILE...>',
    summary: 'make one report of the shards of a run; exits as that run would have',
    load: async () => import('./commands/merge.ts'),
  },
  compare: {
    usage: '[options] <BEFORE> <AFTER...>',
    summary: 'say what broke, healed, appeared and went between two results, and why',
    load: async () => import('./commands/compare.ts'),
  },
  report: {
    usage: '[options] <FILE>',
    summary: 'write further forms of an existing result',
    load: async () => import('./commands/report.ts'),
  },
  trend: {
    usage: '[options] <DIR>',
    summary: 'draw the history of many results as one page',
    load: async () => import('./commands/trend.ts'),
  },
  allure: {
    usage: '[options] <FILE>',
    summary: 'build the Allure report of a result, without the visitor counter in it',
    load: async () => import('./commands/allure.ts'),
  },
  attest: {
    usage: '[options] <RESULT>',
    summary: 'sign a result, so that others can check that it is yours and unchanged',
    load: async () => import('./commands/attest.ts'),
  },
  verify: {
    usage: '[options] <ATTESTATION>',
    summary: 'check a signed statement and the result that it is about, offline',
    load: async () => import('./commands/verify.ts'),
  },
  export: {
    usage: '[options] <form> <contract>',
    summary: 'write a contract as OpenAPI 3.1 or as JSON Schema',
    load: async () => import('./commands/export.ts'),
  },
  serve: {
    usage: '[options] <contract>',
    summary: 'run a conforming server on loopback, with everything that the suite can use',
    load: async () => import('./commands/serve.ts'),
  },
  sweep: {
    usage: '[TARGET...]',
    summary: 'remove instances that earlier runs made and could not remove',
    load: async () => import('./commands/sweep.ts'),
  },
  backend: {
    usage: '[options]',
    summary: 'run the scripted inference engine for the agents of a router',
    load: async () => import('./commands/backend.ts'),
  },
  observe: {
    usage: '[options] <TARGET>',
    summary: 'pass the traffic of real clients on to a deployment, and judge it',
    load: async () => import('./commands/observe.ts'),
  },
  audit: {
    usage: '[options] <FILE...>',
    summary: 'judge recorded traffic: HAR files, and NDJSON of exchanges',
    load: async () => import('./commands/audit.ts'),
  },
};

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
5 undecided: nothing broken was seen, and too little was decided or a required profile is not met, 130 interrupted.`;

/** Runs a command and returns its exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: ExitCode = exitCodes.conforms;
  const ends: Ends =
    (act) =>
    async (...given) => {
      exitCode = await act(...given);
    };
  const program = new Command('plumbline')
    .description('Tells whether a server keeps the compute or the router contract, with evidence.')
    .version(version)
    .showSuggestionAfterError(true)
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .addHelpText('after', examples);
  // The command that is run or whose help is shown. The program itself has no options with values.
  const called = argv.find((word) => !word.startsWith('-') && word !== 'help');
  for (const [name, { usage, summary, load }] of Object.entries(commands)) {
    const command = program.command(name).description(summary).usage(usage);
    if (name !== called) continue;
    (await load()).register(command, ends);
    refuseTwice(command);
  }
  for (const command of [program, ...program.commands]) command.exitOverride();

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

/** Refuses a repeated option, unless it is repeatable, since only its last value would count. */
function refuseTwice(command: Command): void {
  for (const option of command.options) {
    if (!option.required || option.variadic) continue;
    if (option.description.includes('(repeatable)')) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven)
        command.error(`error: option '${option.flags}' is given twice: it takes one value`);
      isGiven = true;
    });
  }
}

/** Errors for unusable input, by name, since their classes may not be loaded. */
const refusals: ReadonlySet<string> = new Set([
  'AddressError',
  'TargetFileError',
  'Unattestable',
  'Unmergeable',
  'UnreadableRecording',
  'UnreadableReport',
]);

/** Prints the message of an error and returns the exit code. */
function explain(error: unknown): number {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof CommandFailure) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof Error && refusals.has(error.name)) {
    process.stderr.write(`${error.message}\n`);
    return exitCodes.usage;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`plumbline failed, which is a mistake of its own:\n${text}\n`);
  return exitCodes.suiteFailed;
}
