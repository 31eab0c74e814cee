/** The declared deviations of a run, and those of them that speak of none of its targets. */

import type { Deviation } from '../../schemas/deviations.ts';
import { loadDeviations } from '../target/deviations.ts';
import { closest } from '../target/suggestion.ts';

/** Reads the file of `--deviations`, if one was given. Throws `TargetFileError`. */
export async function knownDeviations(file: string | undefined): Promise<readonly Deviation[]> {
  return file === undefined ? [] : loadDeviations(file);
}

/** Warns of entries for targets that are not judged: one file may serve many runs, so they are no mistake yet. */
export function warnOfStrangers(
  file: string | undefined,
  deviations: readonly Deviation[],
  targets: readonly string[],
): void {
  for (const { requirement, target } of deviations) {
    if (target === undefined || targets.includes(target)) continue;
    const near = closest(target, targets);
    const advice =
      near === undefined ? `This run judges ${targets.join(', ')}.` : `Did you mean ${near}?`;
    process.stderr.write(
      `${file}: the deviation from ${requirement} is for the target ${target}, which this run does not judge. ${advice}\n`,
    );
  }
}
