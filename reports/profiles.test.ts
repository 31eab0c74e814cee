import { expect, test } from 'vitest';

import { sampleFinding, sampleOutcome, sampleReport, sampleRequirement } from './sample.ts';

const held = 'compute.list.held';
const broken = 'compute.list.broken';
const implied = 'compute.list.implied';
const missing = 'compute.list.missing';

function met(requirements: readonly string[]): boolean | undefined {
  const report = sampleReport({
    catalogue: [
      ...[held, broken, missing].map((id) => sampleRequirement(id)),
      sampleRequirement(implied, { strength: 'implied' }),
    ],
    outcomes: [
      sampleOutcome({
        seen: { [held]: 1 },
        findings: [sampleFinding(broken), sampleFinding(implied)],
      }),
    ],
    profiles: { compute: [{ name: 'read-only', requirements }] },
  });
  return report.targets[0]?.profiles?.[0]?.met;
}

test.for<[string, string[], boolean]>([
  ['all of it held', [held], true],
  ['what is only implied does not count', [held, implied], true],
  ['something is broken', [held, broken], false],
  ['something was not exercised', [held, missing], false],
  ['something was left out of the run', [held, 'compute.list.elsewhere'], false],
  ['nothing is asked', [], false],
])(
  'a profile is met only when all of it was exercised and held: %s',
  ([, requirements, result]) => {
    expect(met(requirements)).toBe(result);
  },
);
