import { expect, test } from 'vitest';

import { reportToCtrf } from './formats/ctrf.ts';
import {
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';

test('every requirement is a test with the status that its verdict has there', () => {
  const ids = ['broken', 'held', 'missing', 'unclear'].map((slug) => `compute.list.${slug}`);
  const [broken = '', held = '', , inconclusive = ''] = ids;
  const text = reportToCtrf(
    sampleReport({
      catalogue: ids.map((id) => sampleRequirement(id)),
      outcomes: [
        sampleOutcome({
          findings: [sampleFinding(broken)],
          seen: { [held]: 2 },
          gaps: [{ requirement: inconclusive, kind: 'inconclusive', reason: 'busy' }],
        }),
      ],
    }),
  );
  expect(JSON.parse(text)).toMatchObject({
    reportFormat: 'CTRF',
    results: {
      summary: {
        tests: 4,
        passed: 1,
        failed: 1,
        skipped: 1,
        pending: 0,
        other: 1,
        start: Date.UTC(2026, 10, 21, 12),
      },
      tests: [
        {
          name: broken,
          status: 'failed',
          message: 'A page size of 201 was accepted.',
          suite: ['staging', 'list'],
        },
        { name: held, status: 'passed' },
        { name: ids[2], status: 'skipped', rawStatus: 'not-exercised' },
        { name: inconclusive, status: 'other', message: 'busy' },
      ],
    },
  });
});
