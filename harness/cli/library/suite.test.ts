import { afterEach, describe, expect, test, type TestContext, vi } from 'vitest';
import { hostileReport, HOSTILE } from '../../../reports/hostile.test.support.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../../../reports/sample.test.support.ts';
import { reportCase, reportRequirement } from './suite.ts';

afterEach(() => vi.unstubAllGlobals());

/** A test context that records what it receives. */
function watched() {
  const annotations: string[] = [];
  const meta: { allureRuntimeMessages?: unknown } = {};
  const context = {
    task: { meta },
    skip: (note?: string) => void annotations.push(`skipped: ${note ?? ''}`),
    annotate: async (message: string, type?: string) =>
      void annotations.push(`${type}: ${message}`),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part of it that is used
  return { context: context as unknown as TestContext, annotations, meta };
}

const id = (slug: string): string => `compute.list.${slug}`;
const page = JSON.stringify({ data: Array.from({ length: 400 }, () => 'instance') });
const served = { status: 200, headers: [], body: { text: page, bytes: page.length } };
const report = sampleReport({
  catalogue: [
    id('broken'),
    id('held'),
    id('missing'),
    id('unclear'),
    sampleRequirement(id('warned'), { strength: 'implied' }),
  ],
  outcomes: [
    {
      seen: { [id('held')]: 1 },
      findings: [
        sampleFinding(id('broken'), {
          actual: `200 ${page}`,
          exchanges: ['e1'],
          counterexample: { property: 'sizes', value: '{"size":201}', seed: 1, path: '0' },
        }),
        sampleFinding(id('warned')),
      ],
      gaps: [
        {
          requirement: id('missing'),
          kind: 'not-exercised',
          reason: 'needs a second key',
          line: 'keys: { second: … }',
        },
        { requirement: id('unclear'), kind: 'inconclusive', reason: 'busy' },
      ],
      exchanges: [sampleExchange({ response: served })],
    },
  ],
});

describe('the test of a requirement', () => {
  test('fails as an assertion does where it is broken, with what shows it and no whole page', async () => {
    const { context, annotations } = watched();
    await expect(reportRequirement(context, report, id('broken'), false)).rejects.toMatchObject({
      name: 'AssertionError',
      expected: '400 VALIDATION_ERROR',
      actual: '200',
      message: expect.stringMatching(/^compute\.list\.broken: .*\n.*Requires: [^]*Again: /u),
    });
    expect(annotations).toEqual([
      expect.stringMatching(/^exchange: GET https:/u),
      expect.stringMatching(/^curl: curl -ig/u),
      'counterexample: {"size":201}',
    ]);
    expect(annotations[0]?.length).toBeLessThan(page.length);
  });

  test('passes where it held, and for what is only implied unless all is strict', async () => {
    await reportRequirement(watched().context, report, id('held'), true);
    await reportRequirement(watched().context, report, id('warned'), false);
    await expect(
      reportRequirement(watched().context, report, id('warned'), true),
    ).rejects.toMatchObject({ name: 'AssertionError' });
  });

  test('is skipped with its reason, and with the line to add', async () => {
    const { context, annotations } = watched();
    await reportRequirement(context, report, id('missing'), false);
    await reportRequirement(context, report, id('unclear'), false);
    expect(annotations).toEqual([
      'skipped: needs a second key; add: keys: { second: … }',
      'skipped: inconclusive: busy',
    ]);
  });
});

test('no text of a server or a user acts: in errors, annotations, notes and what Allure gets', async () => {
  vi.stubGlobal('allureTestRuntime', () => undefined);
  const hostile = hostileReport();
  const texts: string[] = [];
  const keep = async (tell: (context: TestContext) => unknown): Promise<void> => {
    const { context, annotations, meta } = watched();
    try {
      await tell(context);
    } catch (error) {
      const { message, expected, actual, stack }: Record<string, unknown> = Object(error);
      annotations.push(String(message), String(expected), String(actual), String(stack));
    }
    const messages = JSON.stringify(meta.allureRuntimeMessages);
    const attached = [...messages.matchAll(/"content":"([^"]+)"/gu)].map(([, content = '']) =>
      Buffer.from(content, 'base64').toString(),
    );
    texts.push(...annotations, messages, ...attached);
  };
  for (const { id: each } of hostile.requirements) {
    await keep(async (context) => reportRequirement(context, hostile, each, true));
  }
  const finding = sampleFinding(id('broken'), { message: HOSTILE, actual: HOSTILE });
  for (const findings of [[finding], []]) {
    const outcome = sampleOutcome({
      case: HOSTILE,
      findings,
      gaps: [{ requirement: id('missing'), kind: 'not-exercised', reason: HOSTILE, line: HOSTILE }],
    });
    await keep((context) => reportCase(context, outcome, () => true));
  }
  expect(texts.join('')).toContain('window.pwned');
  for (const text of texts) expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e|\u200b/u);
});
