import { expect, test } from 'vitest';
import {
  sampleFinding,
  sampleGap,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import { doubtsOf } from './doubts.ts';

const gap = (requirement: string, reason: string) =>
  sampleGap(requirement, { kind: 'inconclusive', reason });
const told = (report: ReturnType<typeof sampleReport>) =>
  doubtsOf(report, 'staging').map(({ results, after }) => [results.map(({ id }) => id), after]);

test('what is inconclusive is grouped by reason, with what its cases found broken', () => {
  const report = sampleReport({
    catalogue: ['a', 'b', 'c', 'd'].map((slug) => sampleRequirement(`compute.list.${slug}`)),
    outcomes: [
      {
        findings: [sampleFinding('compute.list.a')],
        gaps: [
          gap('compute.list.b', 'no evidence (54 of 54 requests were answered 200)'),
          gap('compute.list.c', 'no evidence (2 of 8 requests were answered 400)'),
        ],
      },
      { case: 'another', gaps: [gap('compute.list.d', 'the account was busy')] },
    ],
  });
  expect(told(report)).toEqual([
    [['compute.list.b', 'compute.list.c'], ['compute.list.a']],
    [['compute.list.d'], []],
  ]);
});

test('what every exchange shows broken is said beside what its section could not decide', () => {
  const report = sampleReport({
    catalogue: ['compute.errors.code-known', 'compute.errors.code-not-found'].map((id) =>
      sampleRequirement(id),
    ),
    outcomes: [
      { findings: [sampleFinding('compute.errors.code-known')] },
      { case: 'another', gaps: [gap('compute.errors.code-not-found', 'no evidence')] },
    ],
  });
  expect(told(report)).toEqual([
    [['compute.errors.code-not-found'], ['compute.errors.code-known']],
  ]);
});
