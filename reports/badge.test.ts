import { expect, test } from 'vitest';

import type { CaseOutcome } from '../schemas/outcome.ts';
import { badge } from './formats/badge.ts';
import {
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';

const id = 'compute.list.size';

test.for<[string, Partial<CaseOutcome>, string]>([
  ['held', { seen: { [id]: 1 } }, '1 of 2 held'],
  ['broken', { findings: [sampleFinding(id)] }, '1 broken, 0 of 2 held'],
  ['nothing seen', {}, 'nothing exercised'],
  ['an error of ours', { errors: [{ message: 'x', stack: undefined }] }, 'not judged'],
])('tells the verdict with its count: %s', ([, outcome, text]) => {
  const report = sampleReport({
    catalogue: [sampleRequirement(id), sampleRequirement('compute.list.other')],
    outcomes: [sampleOutcome(outcome)],
  });
  const [picture] = report.targets.map((target) => badge(report, target));
  expect(picture).toContain(`<title>compute contract: ${text}</title>`);
  expect(picture).toContain(`>${text}</text>`);
});
