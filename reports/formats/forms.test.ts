import { describe, expect, test } from 'vitest';
import { reportFromJson, reportToJson, UnreadableReport } from './json.ts';
import {
  sampleBug,
  sampleExchange,
  sampleFinding,
  sampleGap,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { badge } from './badge.ts';
import { hostileReport } from '../hostile.test.support.ts';
import { reportToHar } from './har.ts';
import { reportToJunit } from './junit.ts';
import { reportToMarkdown } from './markdown.ts';

describe('json', () => {
  const report = sampleReport({
    catalogue: ['compute.a.b'],
    outcomes: [
      {
        findings: [sampleFinding('compute.a.b', { exchanges: ['e1'] })],
        exchanges: [sampleExchange()],
      },
    ],
  });

  test('what is written is read back the same', () => {
    expect(reportFromJson(reportToJson(report), 'a.json')).toEqual(
      JSON.parse(reportToJson(report)),
    );
  });

  test.for<[string, string, RegExp]>([
    ['no JSON', '{', /^a\.json is not JSON$/u],
    [
      'another document',
      '{"name":"x"}',
      /^a\.json is not a conformance report: \S+ is not as there$/u,
    ],
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
    ['an error of ours', { errors: [sampleBug] }, 'not judged'],
  ])('tells the verdict with its count: %s', ([, outcome, text]) => {
    const report = sampleReport({ catalogue: [id, 'compute.list.other'], outcomes: [outcome] });
    const [picture] = report.targets.map((target) => badge(report, target));
    expect(picture).toContain(`<title>compute contract: ${text}</title>`);
    expect(picture).toContain(`>${text}</text>`);
  });
});

test('a HAR holds each exchange, what it breaks, and one without an answer', () => {
  const id = 'compute.list.size';
  const exchanges = [
    sampleExchange({ id: 'e2', startedAt: 2, response: undefined, ending: 'reset', cause: 'gone' }),
    sampleExchange({ startedAt: 1 }),
  ];
  const findings = [sampleFinding(id, { exchanges: ['e1', 'e2'] })];
  const report = sampleReport({ catalogue: [id], outcomes: [{ findings, exchanges }] });
  const { log } = JSON.parse(reportToHar(report));
  const [first] = exchanges.slice(1);
  expect(log.entries).toMatchObject([
    {
      startedDateTime: '1970-01-01T00:00:00.001Z',
      comment: `e1 ${id}`,
      request: { method: 'GET', queryString: [{ name: 'size', value: '201' }] },
      response: { status: 400, content: { text: first?.response?.body.text, size: 73 } },
      timings: { send: 0, wait: 4, receive: 1 },
    },
    { comment: `e2 ${id}`, response: { status: 0, _error: 'gone' } },
  ]);
});

describe('junit', () => {
  test('a hostile text is no markup and no character that XML refuses', () => {
    const xml = reportToJunit(hostileReport());
    expect(xml).not.toMatch(
      /<(?!\/?(?:testsuites?|testcase|failure|error|skipped|system-out)\b|\?xml)/u,
    );
    // oxlint-disable-next-line no-control-regex -- controls are what this looks for
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u);
  });
});

describe('markdown', () => {
  const id = 'compute.list-instances.size-maximum';

  test("a server's text is no markup, no link, no mention and no table", () => {
    const hostile = reportToMarkdown(hostileReport());
    const outside = hostile.replaceAll(/^(`{3,})\n[^]*?^\1$/gmu, '');
    expect(outside).not.toMatch(/<(?!\/?details|\/?summary)/u);
    expect(outside).not.toMatch(/(?<!\\)[`[\]]/u);
    expect(outside).not.toContain('://');
    const finding = sampleFinding(id, { actual: 'a | b @user www.evil.example ``` \n## title' });
    const text = reportToMarkdown(
      sampleReport({ catalogue: [id], outcomes: [{ findings: [finding] }] }),
    );
    expect(text).toContain('a \\| b &#64;user www&#46;evil.example \\`\\`\\` \\#\\# title');
  });

  test('a fence is longer than any in it', () => {
    const gap = sampleGap(id, { reason: 'x', line: '````\n<b>' });
    const text = reportToMarkdown(sampleReport({ catalogue: [id], outcomes: [{ gaps: [gap] }] }));
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
          {
            findings: catalogue.map((one) => sampleFinding(one.id, { actual: 'x'.repeat(9_000) })),
          },
        ],
      }),
    );
    expect(text.length).toBeLessThan(65_000);
    expect(text).toContain('and 359 more');
  });
});
