/** A whole run as one function, without test runner, files or separate process. */

import type { CaseOutcome } from '../../../schemas/outcome.ts';
import type { ConformanceReport } from '../../../schemas/report.ts';
import type { TargetFileInput } from '../../../schemas/contracts.ts';
import { openSession } from '../../contracts/index.ts';
import { journalIn } from '../../drivers/journal.ts';
import type { Depth } from '../../runner/case.ts';
import { runCases } from '../../runner/run.ts';
import { plannedCases, type RunPlan } from '../../runner/selection.ts';
import { planOf, requireSelected } from '../selection.ts';
import { reportOf } from '../report-of-run.ts';
import { loadSections } from '../files.ts';
import { plannedFrom, requireReady } from '../planned.ts';

export interface ConformanceOptions {
  /** Requirement ids or prefixes (default: all). */
  readonly only?: readonly string[];
  /** A section, for example `pagination`. */
  readonly section?: string;
  /** A profile of the contract. */
  readonly profile?: string;
  /** Seed of all random values (default: random, and stated in the report). */
  readonly seed?: number;
  /** How much is tried (default `standard`). */
  readonly depth?: Depth;
  /** Number of values that a property tries (default: set by the depth). */
  readonly runs?: number;
  /** Ends the run. The report then covers what was seen and is marked as partial. */
  readonly signal?: AbortSignal;
  /** Where commands of the target run (default: the working directory). */
  readonly folder?: string;
}

/**
 * Judges one deployment. The target is an object in the form of a target file. Throws `TargetFileError` for an unusable
 * target, `NotReady` if it cannot be reached or refuses the key, and an error for a selection that matches nothing.
 * Broken requirements are in the report and do not throw.
 */
export async function runConformance(
  input: TargetFileInput,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const signal = options.signal ?? new AbortController().signal;
  const asked = planOf(options);
  const planned = plannedFrom(input, options.folder);
  requireSelected(asked, [planned.target]);
  await requireReady(planned, signal);

  const startedAt = new Date();
  const plan: RunPlan = { ...asked, targets: [planned], journal: journalIn(process.cwd()) };
  const cases = plannedCases(await loadSections(), planned.target.contract, plan);
  const session = await openSession(planned, plan);
  const abort = (): void => session.abort();
  signal.addEventListener('abort', abort, { once: true });
  const outcomes: CaseOutcome[] = [];
  try {
    await runCases(cases, session, {
      ...asked,
      signal,
      onOutcome: (outcome) => outcomes.push(outcome),
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await session.close();
  }
  return reportOf({ plan, startedAt, outcomes, partial: signal.aborted });
}
