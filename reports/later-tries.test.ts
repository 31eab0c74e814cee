import { expect, test } from 'vitest';
import { reportPage } from './html/page.ts';
import { laterTriesText } from './model/conclusions.ts';
import { reportToMarkdown } from './formats/markdown.ts';
import {
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';
import { terminalSummary } from './formats/terminal.ts';

const [late, broken] = ['compute.list.late', 'compute.list.broken'] as const;
const report = sampleReport({
  catalogue: [sampleRequirement(late), sampleRequirement(broken)],
  outcomes: [
    sampleOutcome({
      seen: { [late]: 1, [broken]: 1 },
      findings: [sampleFinding(broken)],
      tries: { [late]: 3, [broken]: 2 },
    }),
    sampleOutcome({ case: 'another', seen: { [late]: 1 } }),
  ],
});

test('what held on a later try alone is told with the number of tries, in every form', () => {
  const told = `1 requirement held on a later try alone: ${late} (3 tries)`;
  const [target] = report.targets;
  expect(target === undefined ? '' : laterTriesText(report, target)).toBe(told);
  expect(report.requirements.find(({ id }) => id === late)?.tries).toBe(3);
  expect(terminalSummary(report, { colour: false, width: 200 })).toContain(told);
  expect(reportToMarkdown(report).replaceAll('\\', '')).toContain(told);
  expect(reportPage(report)).toContain(told);
});

test('what held at once is not', () => {
  const plain = sampleReport({
    catalogue: [sampleRequirement(late)],
    outcomes: [sampleOutcome({ seen: { [late]: 1 } })],
  });
  expect(plain.requirements[0]).not.toHaveProperty('tries');
  expect(reportToMarkdown(plain)).not.toContain('later try');
});
