/** Options that several commands have, and the commands of contributors. */

import type { Depth } from '../../runner/case.ts';
import type { RunPlan } from '../../runner/selection.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { contractNames } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import { exitCodes } from '../exit.ts';

export interface RunOptions {
  readonly only: readonly string[];
  readonly section?: string;
  readonly profile?: string;
  /** Names of cases; all of them unless told. */
  readonly case?: readonly string[];
  readonly seed?: number;
  readonly runs: number;
  readonly depth: Depth;
  readonly out: string;
  readonly strict: boolean;
  readonly deviations?: string;
  /** Percentage of the stated requirements within reach that must be decided. */
  readonly decided?: number;
  /** Profiles that must be met. */
  readonly requireProfile?: readonly string[];
  readonly shard?: { readonly index: number; readonly count: number };
  readonly reporter: readonly string[];
  readonly json: boolean;
  /** A counterexample to go straight to; `plumbline replay` sets it. */
  readonly replay?: RunPlan['replay'];
}

/** Report forms that `--reporter` names, beside `conformance.json`, which is always written. */
export const reporterNames = ['html', 'markdown', 'junit', 'badge', 'ctrf', 'allure'] as const;

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

/** `--require-profile NAME`, repeatable, for every command that judges whether enough was decided. */
export function requireProfileOption(): Option {
  return new Option(
    '--require-profile <NAME>',
    'exit 5 unless this profile is met: each stated requirement of it exercised and held (repeatable)',
  )
    .argParser(collect)
    .default([]);
}

/** Seeds are what the generator of values takes. */
export const seedNumber = wholeNumber(0, 0x7fffffff);

/** Values that a property tries. */
export const runsNumber = wholeNumber(1, 1_000_000);

/** `--reporter NAME`, repeatable, for every command that writes forms of a report. */
export function reporterOption(): Option {
  return new Option('--reporter <NAME>', 'further report formats (repeatable)')
    .choices(reporterNames)
    .argParser(collectChoice);
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

/** Adds the options that every command has which reports on traffic of others. */
export function trafficReportOptions(command: Command): Command {
  return command
    .option(
      '--only <ID-PREFIX>',
      'report on requirements with this id or prefix (repeatable)',
      collect,
      [],
    )
    .option(
      '--exclusive',
      'nobody acts on the deployment but the clients that are seen: a start that is not seen is none',
      false,
    )
    .option('--out <DIR>', 'folder of the report', 'conformance-report')
    .option('--strict', 'broken implied requirements count as violations too', false)
    .option('--deviations <FILE>', 'known deviations, each with reason and expiry')
    .addOption(reporterOption().default(['html']))
    .option('--json', 'print the result on stdout, everything else on stderr', false);
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

/** `--contract NAME`. */
export function contractOption(): Option {
  return new Option('--contract <NAME>', 'one contract (default all)').choices(contractNames);
}

/** What `--contract` names (default all). */
export function contractsOf({ contract }: { readonly contract?: Contract }): readonly Contract[] {
  return contract === undefined ? contractNames : [contract];
}
