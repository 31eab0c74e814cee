/** Prepares a Vitest project of this repository: its target is the file `PLUMBLINE_TARGET` or the embedded reference. */

import type { PlannedTarget } from '../harness/runner/selection.ts';
import { randomInt, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { requireReady, startEmbedded } from '../harness/cli/planned.ts';
import { requireJournal } from '../harness/cli/files.ts';
import { journalIn } from '../harness/drivers/journal.ts';
import { loadTarget } from '../harness/contracts/target-file.ts';
import { shellWord } from '../reports/model/text.ts';
import type { Contract } from '../schemas/requirement.ts';

declare module 'vitest' {
  interface ProvidedContext {
    plumblineProject: {
      readonly planned: PlannedTarget;
      readonly journal: string;
      readonly seed: number;
      /** The command that runs this project again, with the same target and seed. */
      readonly rerun: string;
    };
  }
}

/** Vitest calls this once per project, before its tests and outside their thread. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const contract: Contract = project.name;
  const file = process.env['PLUMBLINE_TARGET'];
  const seed = seedOf(process.env['PLUMBLINE_SEED']);
  const rerun = `PLUMBLINE_SEED=${seed} npx vitest run --project ${contract}`;
  if (file !== undefined && file !== '') {
    const planned = await loadTarget(file);
    if (planned.target.contract !== contract) {
      throw new Error(
        `PLUMBLINE_TARGET names a ${planned.target.contract} target: run it with --project ${planned.target.contract}.`,
      );
    }
    requireJournal([planned]);
    await requireReady(planned);
    project.provide('plumblineProject', {
      planned,
      journal: journalIn(planned.folder),
      seed,
      rerun: `PLUMBLINE_TARGET=${shellWord(file)} ${rerun}`,
    });
    return async () => {};
  }
  const embedded = await startEmbedded([contract]);
  const [planned] = embedded.targets;
  if (planned === undefined) throw new Error(`no reference of ${contract} was started`);
  // Instances on the embedded reference vanish with it, so the journal is temporary.
  const journal = path.join(tmpdir(), `plumbline-${randomUUID()}.ndjson`);
  project.provide('plumblineProject', { planned, journal, seed, rerun });
  return async () => {
    await embedded.close();
    rmSync(journal, { force: true });
  };
}

function seedOf(given: string | undefined): number {
  if (given === undefined || given === '') return randomInt(0x7fffffff);
  if (/^\d{1,10}$/u.test(given)) return Number(given);
  throw new Error('PLUMBLINE_SEED must be a whole number.');
}
