/** Ids of terminated instances in a target file: one that is wrong blames nobody, and one that is right still does. */

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { runConformance } from '../../harness/cli/library/run-conformance.ts';
import { computeFaults } from '../../harness/reference/compute/faults/index.ts';
import { type ComputeOptions, startCompute } from '../../harness/reference/compute/start.ts';

const CONFLICT = 'compute.stop-instance.terminated-conflict';

/** What is said of a stop of what is terminated. Nothing is made, so that the listed ids alone can tell. */
async function verdict(options: ComputeOptions, ids?: readonly string[]) {
  const reference = await startCompute(options);
  const { provision: _, ...instances } = reference.target().instances;
  try {
    const { requirements } = await runConformance(
      {
        ...reference.target(),
        instances: { ...instances, ...(ids === undefined ? {} : { terminated: [...ids] }) },
      },
      { only: [CONFLICT], seed: 5 },
    );
    return requirements.find(({ id }) => id === CONFLICT);
  } finally {
    await reference.close();
  }
}

function faulty(): ComputeOptions {
  const fault = computeFaults.find(({ name }) => name === 'terminated-stop-is-404');
  if (fault === undefined) throw new Error('the fault is gone');
  return { patch: fault.patch };
}

test('an id that exists nowhere is not exercised, and named', async () => {
  const id = randomUUID();
  const said = await verdict({}, [id]);
  expect(said).toMatchObject({ verdict: 'not-exercised', reason: expect.stringContaining(id) });
});

test('a 404 for what can be read is a violation', async () => {
  expect(await verdict(faulty())).toMatchObject({ verdict: 'failed' });
});

test('a 404 for what is listed among the terminated alone is a violation', async () => {
  const choices = { terminatedListed: 'when-asked', terminatedReadable: false } as const;
  expect(await verdict({ ...faulty(), choices })).toMatchObject({ verdict: 'failed' });
});
