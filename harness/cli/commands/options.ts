/** Options that several commands share, and the commands for contributors. */

import { valuesTried } from '../../runner/case.ts';
import type { RunPlan } from '../../runner/selection.ts';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { contractNames } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import { exitCodes } from '../exit.ts';
import type { ConformanceOptions } from '../library/run-conformance.ts';

/** Options of every command that writes a report. */
export interface ReportOptions {
  readonly out: string;
  readonly strict: boolean;
  readonly reporter: readonly string[];
  readonly json: boolean;
  /** Replaces a signed result. */
  readonly force?: boolean;
}

export interface RunOptions extends ReportOptions, Omit<ConformanceOptions, 'signal' | 'folder'> {
  readonly only: readonly string[];
  /** Names of cases (default: all). */
  readonly case?: readonly string[];
  readonly deviations?: string;
  /** Percentage of the stated requirements in reach that must be decided. */
  readonly decided?: number;
  readonly requireProfile?: readonly string[];
  readonly shard?: { readonly index: number; readonly count: number };
  /** Ends the run at the first broken stated requirement. */
  readonly bail?: boolean;
  /** Selects what the last result in `out` shows as broken. */
  readonly lastFailed?: boolean;
  /** Absolute path of the journal. */
  readonly journal?: string;
  /** Header lines to add to every request. */
  readonly header?: readonly string[];
  /** A counterexample to run first. `plumbline replay` sets it. */
  readonly replay?: RunPlan['replay'];
}

/** The values of `--reporter`. `conformance.json` is always written. */
export const reporterNames = [
  'html',
  'markdown',
  'junit',
  'badge',
  'ctrf',
  'har',
  'allure',
] as const;

/** Reads a whole number between two bounds (inclusive). Any other text is refused with a message that names the bounds. */
export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/u.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`);
    }
    return value;
  };
}

/** Reads a percentage from 0 to 100. */
export function percentNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/u.test(text) || value > 100) {
    throw new InvalidArgumentError('It must be a number from 0 to 100.');
  }
  return value;
}

/** The range of fast-check's seeds. */
export const seedNumber = wholeNumber(0, 0x7fffffff);

/** Number of values that a property tries. */
export const runsNumber = wholeNumber(1, 1_000_000);

/** Reads `I/N`, part I of N. */
export function shardNumbers(value: string): { index: number; count: number } {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/u.exec(value) ?? []).map(Number);
  if (index < 1 || index > count || count > 1_000) {
    throw new InvalidArgumentError('It must be I/N with I from 1 to N, as in 2/5.');
  }
  return { index, count };
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

const shared = {
  depth: () =>
    new Option(
      '--depth <NAME>',
      `how much is tried: quick takes one or two of the values that show the same thing, and properties ${valuesTried.quick} at random; standard all of them, and ${valuesTried.standard}; thorough ${valuesTried.thorough}`,
    )
      .choices(Object.keys(valuesTried))
      .default('standard'),
  only: () =>
    repeatable('--only <ID-PREFIX>', 'only requirements with this id or prefix (repeatable)'),
  exclusive: () =>
    flag(
      '--exclusive',
      'nobody acts on the deployment but the clients that are seen: a start that is not seen is none',
    ),
  strict: () => flag('--strict', 'broken implied requirements fail, too'),
  deviations: () =>
    new Option('--deviations <FILE>', 'known deviations, each with reason and expiry'),
  requireProfile: () =>
    repeatable(
      '--require-profile <NAME>',
      'exit 5 unless each stated requirement of this profile was exercised and held (repeatable)',
    ),
  header: () =>
    repeatable(
      '--header <LINE>',
      "send this header with every request, as in 'X-Gate: ${TOKEN}' (repeatable)",
    ),
  reporter: () => reporterOption().default(['html']),
  journal: () =>
    new Option(
      '--journal <FILE>',
      'where runs write down the instances that they make; .plumbline/journal.ndjson beside the target file unless told',
    ).argParser((file) => path.resolve(file)),
  force: () => flag('--force', 'replace a signed result in the folder of the report'),
  json: () => flag('--json', 'print the result on stdout, everything else on stderr'),
} as const satisfies Readonly<Record<string, () => Option>>;

/** The repeatable option `--reporter NAME`. */
export function reporterOption(): Option {
  return someOf(reporterNames, '--reporter <NAME>', 'further report forms (repeatable)');
}

/** A repeatable option for some of these names, each kept once. */
export function someOf(names: readonly string[], flags: string, says: string): Option {
  return new Option(flags, says)
    .choices(names)
    .argParser((name: string, before: readonly string[] | undefined) => {
      if (!names.includes(name)) {
        throw new InvalidArgumentError(`Allowed are ${names.join(', ')}.`);
      }
      return [...new Set([...(before ?? []), name])];
    });
}

function repeatable(flags: string, says: string): Option {
  return new Option(flags, says).argParser(collect).default([]);
}

function flag(flags: string, says: string): Option {
  return new Option(flags, says).default(false);
}

/** Adds shared options to a command. */
export function sharedOptions(
  command: Command,
  ...names: readonly (keyof typeof shared)[]
): Command {
  for (const name of names) command.addOption(shared[name]());
  return command;
}

/** Adds `--out` (default `folder`) and the other options of every command that writes a report. */
export function reportOptions(
  command: Command,
  folder: string,
  ...names: readonly (keyof typeof shared)[]
): Command {
  command.option('--out <DIR>', 'folder of the report', folder);
  return sharedOptions(command, ...names, 'strict', 'reporter', 'force', 'json');
}

/** A command with `--help` and exit code 2 for wrong usage. */
export function contributorCommand(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .exitOverride(({ exitCode }) =>
      process.exit(exitCode === 0 ? exitCodes.conforms : exitCodes.usage),
    );
}

/** The names of the missing options. */
export function notGiven(options: Readonly<Record<`--${string}`, unknown>>): readonly string[] {
  return Object.keys(options).filter((name) => Reflect.get(options, name) === undefined);
}

/** The option `--contract NAME`. */
export function contractOption(): Option {
  return new Option('--contract <NAME>', 'one contract (default all)').choices(contractNames);
}

/** The contracts that `--contract` selects (default: all). */
export function contractsOf({ contract }: { readonly contract?: Contract }): readonly Contract[] {
  return contract === undefined ? contractNames : [contract];
}
