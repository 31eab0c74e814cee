import { describe, expect, test } from 'vitest';
import { reportFromJson, reportToJson, UnreadableReport } from './json.ts';
import {
  allureFiles,
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
import { githubAnnotations, githubSummary } from './github.ts';
import { withoutCounter } from './allure-results.ts';

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
    [
      'no JSON',
      '{',
      /^a\.json is not JSON \(.*\): it may have been cut\. Name the conformance\.json of a run$/u,
    ],
    [
      'another document',
      '{"name":"x"}',
      /^a\.json is not a conformance report: \S+ is missing or malformed$/u,
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

const id = 'compute.list.broken';
const report = sampleReport({
  catalogue: [id, 'compute.list.held'],
  outcomes: [
    {
      judges: [id, 'compute.list.held'],
      seen: { 'compute.list.held': 1 },
      findings: [{ ...sampleFinding(id), message: 'half\n50 %::stop' }],
    },
  ],
});

test('each broken requirement is one annotation, of one line whatever it says', () => {
  const lines = githubAnnotations(report).split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^::error title=compute\.list\.broken::.*half%0A50 %25::stop/u);
});

test('the summary is the Markdown report', () => {
  expect(githubSummary(report)).toContain(id);
});

describe('results for Allure', () => {
  test('name files that stay in their folder, and hold no hostile sign', () => {
    for (const [name, content] of allureFiles(hostileReport())) {
      expect(name).toMatch(/^[\w-]+\.(?:json|httpexchange|properties)$/u);
      expect(content.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e|\u200b/u);
    }
  });

  test('tell the environment as properties, one for each line', () => {
    const lines = (allureFiles(hostileReport()).get('environment.properties') ?? '')
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.slice(0, 3)).toEqual([
      'plumbline=0.1.0',
      expect.stringMatching(/^catalogue=\w{12}$/u),
      'seed=42',
    ]);
  });
});

const counter = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
    <script>
        window.dataLayer = window.dataLayer || [];
        function gtag(){dataLayer.push(arguments);}
        gtag('js', new Date());
    </script>
    `;
const own = '<script src="app.js"></script>\n<script>window.ready = true;</script>\n';

test('the counter of the page is removed, and nothing else', () => {
  expect(withoutCounter(`<body>${own}${counter}${own}</body>`)).toBe(`<body>${own}${own}</body>`);
  expect(withoutCounter(own)).toBe(own);
});

test.for([
  ['<script src="https://stats.example/x.js"></script>'],
  ["<script src='//stats.example/x.js'></script>"],
  ['<script>var q; gtag("config", 1)</script>'],
])('another counter is not let by: %s', ([script = '']) => {
  expect(() => withoutCounter(`${own}${script}`)).toThrow(/still loads/u);
});
