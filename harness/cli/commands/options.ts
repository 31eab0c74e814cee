/** Options that several commands have, and the commands of contributors. */

import type { Depth } from '../../runner/case.ts';
import type { RunPlan } from '../../runner/selection.ts';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { contractNames } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import { exitCodes } from '../exit.ts';

/** What every command that writes a report is told. */
export interface ReportOptions {
  readonly out: string;
  readonly strict: boolean;
  readonly reporter: readonly string[];
  readonly json: boolean;
  /** Replace a signed result. */
  readonly force?: boolean;
}

export interface RunOptions extends ReportOptions {
  readonly only: readonly string[];
  readonly section?: string;
  readonly profile?: string;
  /** Names of cases; all of them unless told. */
  readonly case?: readonly string[];
  readonly seed?: number;
  readonly runs: number;
  readonly depth: Depth;
  readonly deviations?: string;
  /** Percentage of the stated requirements within reach that must be decided. */
  readonly decided?: number;
  /** Profiles that must be met. */
  readonly requireProfile?: readonly string[];
  readonly shard?: { readonly index: number; readonly count: number };
  /** End at the first stated requirement that is broken. */
  readonly bail?: boolean;
  /** Absolute path of the journal. */
  readonly journal?: string;
  /** Header lines of every request. */
  readonly header?: readonly string[];
  /** A counterexample to go straight to; `plumbline replay` sets it. */
  readonly replay?: RunPlan['replay'];
}

/** Report forms that `--reporter` names, beside `conformance.json`, which is always written. */
export const reporterNames = [
  'html',
  'markdown',
  'junit',
  'badge',
  'ctrf',
  'har',
  'allure',
] as const;

/** Reads a whole number between two bounds, both of them allowed; anything else is refused with the bounds told. */
export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/u.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`);
    }
    return value;
  };
}

/** Reads a share from 0 to 100. */
export function percentNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/u.test(text) || value > 100) {
    throw new InvalidArgumentError('It must be a number from 0 to 100.');
  }
  return value;
}

/** Seeds are what the generator of values takes. */
export const seedNumber = wholeNumber(0, 0x7fffffff);

/** Values that a property tries. */
export const runsNumber = wholeNumber(1, 1_000_000);

/** `I/N`: part I of N. */
export function shardNumbers(value: string): { index: number; count: number } {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/u.exec(value) ?? []).map(Number);
  if (index < 1 || index > count || count > 1_000) {
    throw new InvalidArgumentError('It must be I/N with I from 1 to N, as in 2/5.');
  }
  return { index, count };
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function collectChoice(value: string, before: readonly string[] = []): readonly string[] {
  if (!reporterNames.some((name) => name === value)) {
    throw new InvalidArgumentError(`Allowed are ${reporterNames.join(', ')}.`);
  }
  return [...new Set([...before, value])];
}

/** Options that several commands have, each declared once. */
const shared = {
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

/** `--reporter NAME`, repeatable. */
export function reporterOption(): Option {
  return new Option('--reporter <NAME>', 'further report forms (repeatable)')
    .choices(reporterNames)
    .argParser(collectChoice);
}

function repeatable(flags: string, says: string): Option {
  return new Option(flags, says).argParser(collect).default([]);
}

function flag(flags: string, says: string): Option {
  return new Option(flags, says).default(false);
}

/** Adds options that other commands have, too. */
export function sharedOptions(
  command: Command,
  ...names: readonly (keyof typeof shared)[]
): Command {
  for (const name of names) command.addOption(shared[name]());
  return command;
}

/** Adds `--out` and the options of every command that writes a report, into a folder of its own unless told. */
export function reportOptions(
  command: Command,
  folder: string,
  ...names: readonly (keyof typeof shared)[]
): Command {
  command.option('--out <DIR>', 'folder of the report', folder);
  return sharedOptions(command, ...names, 'strict', 'reporter', 'force', 'json');
}

/** A command that explains itself with `--help`, and ends with exit code 2 when it is called wrongly. */
export function contributorCommand(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .exitOverride(({ exitCode }) =>
      process.exit(exitCode === 0 ? exitCodes.conforms : exitCodes.usage),
    );
}

/** Those of these options that were not given. */
export function notGiven(options: Readonly<Record<`--${string}`, unknown>>): readonly string[] {
  return Object.keys(options).filter((name) => Reflect.get(options, name) === undefined);
}

/** `--contract NAME`. */
export function contractOption(): Option {
  return new Option('--contract <NAME>', 'one contract (default all)').choices(contractNames);
}

/** What `--contract` names (default all). */
export function contractsOf({ contract }: { readonly contract?: Contract }): readonly Contract[] {
  return contract === undefined ? contractNames : [contract];
}
