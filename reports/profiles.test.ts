import { expect, test } from 'vitest';

import {
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';

const held = 'compute.list.held';
const broken = 'compute.list.broken';
const missing = 'compute.list.missing';

function met(stated: readonly string[]): boolean | undefined {
  const report = sampleReport({
    catalogue: [held, broken, missing].map((id) => sampleRequirement(id)),
    outcomes: [
      sampleOutcome({
        seen: { [held]: 1 },
        findings: [sampleFinding(broken)],
      }),
    ],
    profiles: { compute: [{ name: 'read-only', stated }] },
  });
  return report.targets[0]?.profiles?.[0]?.met;
}

test.for<[string, string[], boolean]>([
  ['all of it held', [held], true],
  ['something is broken', [held, broken], false],
  ['something was not exercised', [held, missing], false],
  ['something was left out of the run', [held, 'compute.list.elsewhere'], false],
  ['nothing is asked', [], false],
])('a profile is met only when all of it was exercised and held: %s', ([, stated, result]) => {
  expect(met(stated)).toBe(result);
});
