/** What an earlier result in the folder of the report says of a new run, and when a run ends at what it finds. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Deviation } from '../../schemas/deviations.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { allRequirements, contractNames } from '../../schemas/contracts.ts';
import { plannedSelection } from '../runner/selection.ts';
import { refuse } from './exit.ts';
import { readReport } from './files.ts';

/** Judged on every exchange and by no case of its own: the case that shows it stands for all of them. */
export function isShownByAny(id: string): boolean {
  return allRequirements.some(
    (one) => one.id === id && one.universal === true && one.hasCases !== true,
  );
}

/**
 * Selects what the result in this folder says is broken, or failed for a mistake of ours; everything where that is nothing,
 * and stderr says so. Throws `CommandFailure` without a result.
 */
export function lastFailed(out: string): { only?: readonly string[]; case?: readonly string[] } {
  const file = path.join(out, 'conformance.json');
  if (!existsSync(file)) {
    refuse(`--last-failed: there is no result at ${file}. Run once without it, or name its --out.`);
  }
  const broken = readReport(file).report.requirements.filter(({ verdict }) =>
    ['failed', 'warned', 'error'].includes(verdict),
  );
  const only = [...new Set(broken.map(({ id }) => id))];
  if (only.length === 0) {
    process.stderr.write(`${file} says that nothing is broken: this is a whole run.\n`);
    return {};
  }
  if (!only.some(isShownByAny)) return { only };
  // Otherwise what is judged on every exchange would run the whole suite again.
  const cases = broken.flatMap((one) => [...one.cases, ...one.findings.map((found) => found.case)]);
  return { only, case: [...new Set(cases)] };
}

/**
 * Whether a case found what makes a run exit with 1: a stated requirement broken, or any with `strict`, that the run is
 * about and nobody accepted.
 */
export function breaksContract(
  { target, findings }: Pick<CaseOutcome, 'target' | 'findings'>,
  {
    strict,
    deviations,
    ...selected
  }: {
    readonly strict: boolean;
    readonly deviations: readonly Deviation[];
  } & Parameters<typeof plannedSelection>[1],
): boolean {
  const asked = new Set(
    contractNames.flatMap((contract) => [...plannedSelection(contract, selected).requirements]),
  );
  const counts = new Set(
    allRequirements
      .filter(({ strength }) => strength === 'stated' || (strict && strength === 'implied'))
      .filter(({ id }) => asked.has(id))
      .map(({ id }) => id),
  );
  const isAccepted = (id: string): boolean =>
    deviations.some(
      (one) => one.requirement === id && (one.target === undefined || one.target === target),
    );
  return findings.some(({ requirement }) => counts.has(requirement) && !isAccepted(requirement));
}
