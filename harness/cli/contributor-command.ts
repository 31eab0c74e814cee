/** The commands of those who work on the suite: `npm run prove`, `stability`, `bench` and `mutate`. */

import { Command, Option } from 'commander';
import { contractNames } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { exitCodes } from './exit.ts';

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
