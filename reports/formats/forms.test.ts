import { describe, expect, test } from 'vitest';
import { reportFromJson, reportToJson, UnreadableReport } from './json.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { badge } from './badge.ts';
import { hostileReport } from '../hostile.test.support.ts';
import { reportToJunit } from './junit.ts';
import { reportToCtrf } from './ctrf.ts';
import { reportToMarkdown } from './markdown.ts';
import { sampleRun } from '../sample-run.test.support.ts';

describe('json', () => {
  const report = sampleReport({
    catalogue: [sampleRequirement('compute.a.b')],
    outcomes: [
      sampleOutcome({
        findings: [sampleFinding('compute.a.b', { exchanges: ['e1'] })],
        exchanges: [sampleExchange()],
      }),
    ],
  });

  test('what is written is read back the same', () => {
    expect(reportFromJson(reportToJson(report), 'a.json')).toEqual(
      JSON.parse(reportToJson(report)),
    );
  });

  test.for<[string, string, RegExp]>([
    ['no JSON', '{', /^a\.json is not JSON: (?!SyntaxError)/u],
    ['another document', '{"name":"x"}', /^a\.json is not a conformance report at /u],
    ['a later version', '{"schemaVersion":99}', /schema version 99.*Update plumbline/u],
  ])('refuses %s', ([, text, message]) => {
    expect(() => reportFromJson(text, 'a.json')).toThrow(UnreadableReport);
    expect(() => reportFromJson(text, 'a.json')).toThrow(message);
  });
});

describe('badge', () => {
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
});

describe('junit', () => {
  const ids = ['broken', 'erred', 'held', 'missing', 'unclear'].map(
    (slug) => `compute.list.${slug}`,
  );
  const [broken = '', erred = '', held = '', missing = '', inconclusive = ''] = ids;
  const warned = 'compute.list.warned';

  const report = sampleReport({
    catalogue: [
      ...ids.map((id) => sampleRequirement(id)),
      sampleRequirement(warned, { strength: 'implied' }),
    ],
    outcomes: [
      sampleOutcome({
        findings: [sampleFinding(broken), sampleFinding(warned)],
        seen: { [held]: 1 },
      }),
      sampleOutcome({ judges: [erred], errors: [{ message: 'TypeError', stack: undefined }] }),
      sampleOutcome({
        gaps: [
          { requirement: inconclusive, kind: 'inconclusive', reason: 'busy' },
          { requirement: missing, kind: 'not-exercised', reason: 'needs a key' },
        ],
      }),
    ],
  });

  test('each verdict has its form', () => {
    const xml = reportToJunit(report);
    expect(xml).toContain('tests="6" failures="1" errors="1" skipped="2"');
    expect(xml).toMatch(
      new RegExp(`name="${broken}"><failure type="stated" message="A page size`, 'u'),
    );
    expect(xml).toContain(`again: plumbline run staging.yaml --only ${broken} --seed 42`);
    expect(xml).toMatch(
      new RegExp(`name="${erred}"><error type="suite" message="TypeError"/>`, 'u'),
    );
    expect(xml).toMatch(new RegExp(`name="${held}"/>`, 'u'));
    expect(xml).toMatch(
      new RegExp(`name="${missing}"><skipped message="not-exercised: needs a key"/>`, 'u'),
    );
    expect(xml).toMatch(
      new RegExp(`name="${inconclusive}"><skipped message="inconclusive: busy"/>`, 'u'),
    );
    expect(xml).toMatch(new RegExp(`name="${warned}"><system-out>warning: `, 'u'));
  });

  test('a hostile text is no markup and no character that XML refuses', () => {
    const xml = reportToJunit(hostileReport());
    expect(xml).not.toMatch(
      /<(?!\/?(?:testsuites?|testcase|failure|error|skipped|system-out)\b|\?xml)/u,
    );
    // oxlint-disable-next-line no-control-regex -- controls are what this looks for
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u);
  });
});

describe('ctrf', () => {
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
});

describe('markdown', () => {
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
});
