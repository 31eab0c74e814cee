/** What findings say, where a text was once wrong. */

import { expect, test } from 'vitest';
import { runConformance } from '../../harness/cli/library/run-conformance.ts';
import { computeFaults } from '../../harness/reference/compute/faults/index.ts';
import { startCompute } from '../../harness/reference/compute/start.ts';

test('a request without a key is not said to have a false one', async () => {
  const fault = computeFaults.find(({ name }) => name === 'header-missing-passes-on-presets');
  if (fault === undefined) throw new Error('the fault is gone');
  const reference = await startCompute({ patch: fault.patch });
  const only = ['compute.authentication.presets'];
  const report = await runConformance(reference.target(), { only, seed: 5 });
  await reference.close();
  const messages = report.requirements.flatMap(({ findings }) =>
    findings.map(({ message }) => message),
  );
  expect([...new Set(messages)].toSorted()).toEqual([
    'A call of presets without a key was not refused with 401 UNAUTHORIZED.',
    'A list of presets without a key was not refused with 401 UNAUTHORIZED.',
  ]);
});
