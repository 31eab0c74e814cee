/** Runs every section of a contract against one deployment, without the preflight, which would stop at the worst ones. */

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportOf } from '../../harness/cli/report-of-run.ts';
import { openSession } from '../../harness/contracts/index.ts';
import { casesOf, runCases } from '../../harness/runner/run.ts';
import type { RunPlan } from '../../harness/runner/selection.ts';
import { parseTarget } from '../../harness/contracts/target-file.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { sections } from '../all.ts';

/** Runs the suite, or some sections of it, for the contract of `file`, which has the form of a target file. */
export async function runWholeSuite(
  file: unknown,
  options: { readonly runs: number; readonly within?: readonly string[] },
): Promise<ConformanceReport> {
  const planned = parseTarget(JSON.stringify(file), 'target.yaml');
  const plan: RunPlan = {
    runId: 'self',
    targets: [planned],
    seed: 1,
    runs: options.runs,
    only: [],
    journal: path.join(tmpdir(), `plumbline-self-${randomUUID()}.ndjson`),
  };
  const startedAt = new Date();
  const session = await openSession(planned, plan);
  try {
    const within = sections.filter(({ name }) => options.within?.includes(name) ?? true);
    const outcomes = await runCases(casesOf(within, planned.target.contract), session, {
      seed: plan.seed,
      runs: plan.runs,
      signal: new AbortController().signal,
    });
    return reportOf({ plan, startedAt, outcomes });
  } finally {
    await session.close();
    rmSync(plan.journal ?? '', { force: true });
  }
}
