import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withoutCounter, writeAllureResults } from './allure-results.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { hostileReport } from '../hostile.test.support.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';

const slugs = ['broken', 'erred', 'held', 'missing', 'unclear', 'waived'] as const;
const id = (slug: string): string => `compute.list.${slug}`;
const report = sampleReport({
  catalogue: [
    ...slugs.map((slug) => sampleRequirement(id(slug))),
    sampleRequirement(id('warned'), { strength: 'implied' }),
    sampleRequirement(id('open'), { strength: 'open' }),
  ],
  outcomes: [
    sampleOutcome({
      findings: [
        sampleFinding(id('broken'), { exchanges: ['e1'] }),
        sampleFinding(id('warned')),
        sampleFinding(id('waived')),
      ],
      seen: { [id('held')]: 1, [id('open')]: 1 },
      samples: { [id('held')]: 'e2' },
      exchanges: [sampleExchange(), sampleExchange({ id: 'e2' })],
      gaps: [{ requirement: id('unclear'), kind: 'inconclusive', reason: 'busy' }],
    }),
    sampleOutcome({ judges: [id('erred')], errors: [{ message: 'TypeError', stack: undefined }] }),
  ],
  deviations: [
    {
      requirement: id('waived'),
      reason: 'known',
      link: 'https://tracker.example/1',
      expires: '2030-01-01',
    },
  ],
});

const nameValue = z.object({ name: z.string(), value: z.string() });
const details = z.strictObject({
  message: z.string().optional(),
  trace: z.string().optional(),
  expected: z.string().optional(),
  actual: z.string().optional(),
});
const attachment = z.object({ name: z.string(), source: z.string(), type: z.string() });
const inside = {
  name: z.string(),
  status: z.enum(['passed', 'failed', 'broken', 'skipped']),
  statusDetails: details,
  stage: z.literal('finished'),
  start: z.int(),
  stop: z.int(),
  parameters: z.array(nameValue),
  attachments: z.array(attachment),
};
const innermost = z.object(inside);
const step = z.object({
  ...inside,
  steps: z.array(z.object({ ...inside, steps: z.array(innermost) })),
});
/** What Allure's own model says of a result. */
const allureResult = z.object({
  ...inside,
  uuid: z.uuid(),
  historyId: z.string(),
  testCaseId: z.string(),
  fullName: z.string(),
  titlePath: z.array(z.string()),
  description: z.string(),
  labels: z.array(nameValue),
  links: z.array(z.object({ name: z.string(), url: z.url(), type: z.string() })),
  steps: z.array(step),
});

/** Every file that is written of a report, by name. */
function filesOf(given: ConformanceReport): ReadonlyMap<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-allure-'));
  try {
    writeAllureResults(given, folder);
    return new Map(
      readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function read(given = report) {
  const files = filesOf(given);
  const results = [...files]
    .filter(([name]) => name.endsWith('-result.json'))
    .map(([, content]) => allureResult.parse(JSON.parse(content)));
  return { files, results, of: (slug: string) => results.find(({ name }) => name === id(slug)) };
}

describe('results for Allure', () => {
  test('have one file for each requirement, in the form of Allure', () => {
    expect(
      read()
        .results.map(({ name }) => name)
        .toSorted(),
    ).toEqual(report.requirements.map((each) => each.id));
  });

  test.for([
    ['held', 'passed'],
    ['open', 'passed'],
    ['warned', 'passed'],
    ['broken', 'failed'],
    ['erred', 'broken'],
    ['unclear', 'skipped'],
    ['missing', 'skipped'],
    ['waived', 'skipped'],
  ] as const)('%s is %s', ([slug, status]) => {
    expect(read().of(slug)?.status).toBe(status);
  });

  test('carry contract, section, requirement and strength as labels', () => {
    expect(read().of('warned')?.labels).toEqual(
      expect.arrayContaining([
        { name: 'layer', value: 'requirement' },
        { name: 'contract', value: 'compute' },
        { name: 'section', value: 'list' },
        { name: 'requirement', value: id('warned') },
        { name: 'strength', value: 'implied' },
        { name: 'verdict', value: 'warned' },
      ]),
    );
  });

  test('say what was expected, what came, and how to run it again', () => {
    expect(read().of('broken')?.statusDetails).toMatchObject({
      message: 'A page size of 201 was accepted.',
      expected: '400 VALIDATION_ERROR',
      actual: '200',
      trace: expect.stringContaining(`again: plumbline run staging.yaml --only ${id('broken')}`),
    });
    expect(read().of('unclear')?.statusDetails).toEqual({ message: 'busy' });
    expect(read().of('waived')?.links).toEqual([
      { name: 'known deviation', url: 'https://tracker.example/1', type: 'issue' },
    ]);
  });

  test('have their cases as steps that last as long as they did, with what they found inside', () => {
    const [one] = read().of('broken')?.steps ?? [];
    const [run] = report.cases;
    expect(one).toMatchObject({
      name: run?.case,
      status: 'failed',
      start: run?.startedAt,
      stop: Math.round((run?.startedAt ?? 0) + (run?.durationMs ?? 0)),
    });
    expect(one?.steps.map(({ name }) => name)).toContain('A page size of 201 was accepted.');
    expect(read().of('unclear')?.steps[0]?.steps[0]).toMatchObject({
      status: 'skipped',
      statusDetails: { message: 'busy' },
    });
  });

  test('have a property with its smallest counterexample as steps in steps', () => {
    const counterexample = { property: 'sizes', value: '201', seed: 1, path: '0:0' };
    const walked = sampleReport({
      catalogue: [sampleRequirement(id('broken'))],
      outcomes: [
        sampleOutcome({
          findings: [sampleFinding(id('broken'), { counterexample })],
          properties: [{ name: 'sizes', runs: 20, informative: 19, seed: 1 }],
        }),
      ],
    });
    const [property] = read(walked).of('broken')?.steps[0]?.steps ?? [];
    expect(property).toMatchObject({
      name: expect.stringContaining('sizes: 20'),
      status: 'failed',
    });
    expect(property?.steps[0]).toMatchObject({
      name: 'smallest counterexample',
      parameters: [
        { name: 'value', value: '201' },
        { name: 'path', value: '0:0' },
      ],
    });
  });

  test('have the exchanges beside them, in the form that Allure has for them', () => {
    const { files, of } = read();
    const shown = [
      of('held')?.attachments[0],
      of('broken')?.steps[0]?.steps.flatMap(({ attachments }) => attachments)[0],
    ];
    for (const one of shown) {
      expect(one?.type).toBe('application/vnd.allure.http+json');
      expect(JSON.parse(files.get(one?.source ?? '') ?? '')).toMatchObject({
        schemaVersion: 1,
        request: {
          method: 'GET',
          url: 'https://compute.example.com/v1/instances?size=201',
          headers: expect.arrayContaining([
            { name: 'Authorization', value: expect.stringContaining('[redacted') },
          ]),
        },
        response: { status: 400, body: { value: expect.stringContaining('{"error"') } },
      });
    }
    expect(of('missing')?.attachments).toEqual([]);
  });

  test('keep their history from run to run, and are not confused between runs', () => {
    const again = { ...report, run: { ...report.run, id: 'run-2' } };
    const [one, two] = [read().of('held'), read(again).of('held')];
    expect(two?.historyId).toBe(one?.historyId);
    expect(two?.uuid).not.toBe(one?.uuid);
  });

  test('name files that stay in their folder, and hold no hostile sign', () => {
    for (const [name, content] of filesOf(hostileReport())) {
      expect(name).toMatch(/^[\w-]+\.(?:json|httpexchange|properties)$/u);
      expect(content.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e|\u200b/u);
    }
    expect(read(hostileReport()).results).toHaveLength(5);
  });

  test('tell the environment as properties, one for each line', () => {
    const { files } = read(hostileReport());
    const lines = (files.get('environment.properties') ?? '').trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.slice(0, 3)).toEqual([
      'plumbline=0.1.0',
      expect.stringMatching(/^catalogue=\w{12}$/u),
      'seed=42',
    ]);
    expect(read().files.get('environment.properties')).toContain(
      'staging=https://compute.example.com/v1',
    );
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
