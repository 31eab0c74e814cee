import { expect, test } from 'vitest';

import { missingGroups, missingLines } from './model/conclusions.ts';
import { sampleOutcome, sampleReport, sampleRequirement } from './sample.test.support.ts';

const ids = ['a', 'b', 'c', 'd'].map((slug) => `compute.list.${slug}`);
const [a = '', b = '', c = '', d = ''] = ids;
const gap = (requirement: string, line?: string) => ({
  requirement,
  kind: 'not-exercised' as const,
  reason: line === undefined ? 'no backend' : `needs ${line}`,
  ...(line === undefined ? {} : { line }),
});

test('groups by the line that helps, the most helpful first, those without a line last', () => {
  const report = sampleReport({
    catalogue: ids.map((id) => sampleRequirement(id)),
    outcomes: [
      sampleOutcome({
        gaps: [gap(a), gap(b, 'keys: x'), gap(c, 'limits: y'), gap(d, 'limits: y')],
      }),
    ],
  });
  expect(missingGroups(report, 'staging')).toEqual([
    { line: 'limits: y', reasons: ['needs limits: y'], requirements: [c, d], partly: [] },
    { line: 'keys: x', reasons: ['needs keys: x'], requirements: [b], partly: [] },
    { reasons: ['no backend'], requirements: [a], partly: [] },
  ]);
});

test('keeps apart what was exercised in part, and leaves out what was only inconclusive', () => {
  const report = sampleReport({
    catalogue: [a, b].map((id) => sampleRequirement(id)),
    outcomes: [
      sampleOutcome({
        seen: { [a]: 1 },
        gaps: [gap(a, 'keys: x'), { requirement: b, kind: 'inconclusive', reason: 'busy' }],
      }),
    ],
  });
  expect(missingGroups(report, 'staging')).toEqual([
    { line: 'keys: x', reasons: ['needs keys: x'], requirements: [], partly: [a] },
  ]);
});

test('lines of groups, each with everything that needs it', () => {
  const group = (line: string | undefined, ...requirements: string[]) => ({
    ...(line === undefined ? {} : { line }),
    reasons: [],
    requirements,
    partly: [],
  });
  expect(
    missingLines([
      group('keys: x\nlimits: y', a, b),
      group('limits: y', c),
      group('keys: x\nlimits: y\nhooks: z', a),
      group(undefined, d),
    ]),
  ).toEqual([
    { line: 'limits: y', requirements: [a, b, c] },
    { line: 'keys: x', requirements: [a, b] },
    { line: 'hooks: z', requirements: [a] },
  ]);
});
