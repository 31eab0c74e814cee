import { expect, test } from 'vitest';

import { hostileReport } from './hostile.test.support.ts';
import { reportToMarkdown } from './formats/markdown.ts';
import {
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';
import { sampleRun } from './sample-run.test.support.ts';

const id = 'compute.list-instances.size-maximum';

test('tells the verdict, the counts, what is broken and how to see it again', () => {
  const text = reportToMarkdown(
    sampleReport({
      catalogue: [
        sampleRequirement(id),
        sampleRequirement('compute.a.b', { needs: ['keys.second'] }),
      ],
      outcomes: [sampleOutcome({ findings: [sampleFinding(id)] })],
    }),
  );
  for (const part of [
    '## staging breaks the compute contract.',
    '- 0 of 2 stated requirements held, 1 broken, 1 not exercised',
    `| ${id.replace(/-/gu, '-')} | What ${id} asks for holds. | 400 VALIDATION\\_ERROR | 200 |`,
    `plumbline run staging.yaml --only ${id} --seed 42`,
    '1 requirement not exercised',
    'keys: { second: ${COMPUTE_KEY_OTHER_ACCOUNT} }',
  ]) {
    expect(text).toContain(part);
  }
});

test('says nothing of broken requirements when there are none', () => {
  expect(reportToMarkdown(sampleRun(['router']))).not.toContain('### Broken');
});

test("a server's text is no markup, no link, no mention and no table", () => {
  const hostile = reportToMarkdown(hostileReport());
  const outside = hostile.replaceAll(/^(`{3,})\n[^]*?^\1$/gmu, '');
  expect(outside).not.toMatch(/<(?!\/?details|\/?summary)/u);
  expect(outside).not.toMatch(/(?<!\\)[`[\]]/u);
  expect(outside).not.toContain('://');
  const finding = sampleFinding(id, { actual: 'a | b @user www.evil.example ``` \n## title' });
  const text = reportToMarkdown(
    sampleReport({
      catalogue: [sampleRequirement(id)],
      outcomes: [sampleOutcome({ findings: [finding] })],
    }),
  );
  expect(text).toContain('a \\| b &#64;user www&#46;evil.example \\`\\`\\` \\#\\# title');
});

test('a fence is longer than any in it', () => {
  const gap = { requirement: id, kind: 'not-exercised', reason: 'x', line: '````\n<b>' } as const;
  const text = reportToMarkdown(
    sampleReport({
      catalogue: [sampleRequirement(id)],
      outcomes: [sampleOutcome({ gaps: [gap] })],
    }),
  );
  expect(text).toContain('`````\n````\n<b>\n`````\n');
});

test('stays small enough for a job summary when everything is broken', () => {
  const catalogue = Array.from({ length: 400 }, (_, index) =>
    sampleRequirement(`compute.a.rule-${index}`),
  );
  const text = reportToMarkdown(
    sampleReport({
      catalogue,
      outcomes: [
        sampleOutcome({
          findings: catalogue.map((one) => sampleFinding(one.id, { actual: 'x'.repeat(9_000) })),
        }),
      ],
    }),
  );
  expect(text.length).toBeLessThan(65_000);
  expect(text).toContain('and 360 more');
});
