/** A whole run as one function: no test runner, no files, no process of its own. */

import { randomInt, randomUUID } from 'node:crypto';
import type { CaseOutcome } from '../../../schemas/outcome.ts';
import type { ConformanceReport } from '../../../schemas/report.ts';
import type { TargetFileInput } from '../../../schemas/contracts.ts';
import { openSession } from '../../contracts/index.ts';
import { journalIn } from '../../drivers/journal.ts';
import { type Depth, valuesTried } from '../../runner/case.ts';
import { runCases } from '../../runner/run.ts';
import { plannedCases, type RunPlan } from '../../runner/selection.ts';
import { requireKnownSelection, requireSelected } from '../selection.ts';
import { reportOf } from '../report-of-run.ts';
import { loadSections } from '../files.ts';
import { plannedFrom, requireReady } from '../planned.ts';

export interface ConformanceOptions {
  /** Requirement ids, or the beginnings of some; all unless told. */
  readonly only?: readonly string[];
  /** One section, as in `pagination`. */
  readonly section?: string;
  /** One profile of the contract. */
  readonly profile?: string;
  /** Of everything random; drawn, and told in the report, unless given. */
  readonly seed?: number;
  /** How much is tried; `standard` unless told. */
  readonly depth?: Depth;
  /** Values that a property tries; as many as the depth says unless told. */
  readonly runs?: number;
  /** Ends the run in order; what was seen is reported as a partial run. */
  readonly signal?: AbortSignal;
  /** Where commands of the target run; the working directory unless told. */
  readonly folder?: string;
}

/** What is asked for, with all that was left open decided. Throws `CommandFailure` for a selection that names nothing. */
export function planOf({
  seed = randomInt(0x7fffffff),
  depth = 'standard',
  runs = valuesTried[depth],
  only = [],
  section,
  profile,
}: ConformanceOptions) {
  requireKnownSelection({ only, section, profile });
  return { runId: randomUUID().slice(0, 8), seed, depth, runs, only, section, profile };
}

/**
 * Judges one deployment. The target is an object in the form of a target file.
 * Throws `TargetFileError` for a target that cannot be used, `NotReady` when it cannot be reached or refuses the key,
 * and an error for a selection that names nothing. A broken requirement is in the report, and throws nothing.
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
