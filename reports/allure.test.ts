import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allureFiles } from './allure.ts';
import { hostileReport } from './hostile.test.support.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from './sample.ts';

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

const nameValue = z.strictObject({ name: z.string(), value: z.string() });
/** What Allure's own model says of a result. */
const allureResult = z.strictObject({
  uuid: z.uuid(),
  historyId: z.string(),
  testCaseId: z.string(),
  fullName: z.string(),
  name: z.string(),
  titlePath: z.array(z.string()),
  description: z.string(),
  status: z.enum(['passed', 'failed', 'broken', 'skipped']),
  statusDetails: z
    .strictObject({
      message: z.string(),
      trace: z.string(),
      expected: z.string(),
      actual: z.string(),
    })
    .partial(),
  stage: z.literal('finished'),
  start: z.int(),
  stop: z.int(),
  labels: z.array(nameValue),
  links: z.array(z.strictObject({ name: z.string(), url: z.url(), type: z.string() })),
  parameters: z.array(nameValue),
  steps: z.array(z.never()),
  attachments: z.array(
    z.strictObject({ name: z.string(), source: z.string(), type: z.literal('text/plain') }),
  ),
});

function read(given = report) {
  const files = new Map(allureFiles(given).map(({ name, content }) => [name, content]));
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
    ['unclear', 'broken'],
    ['missing', 'skipped'],
    ['waived', 'skipped'],
  ] as const)('%s is %s', ([slug, status]) => {
    expect(read().of(slug)?.status).toBe(status);
  });

  test('carry contract, section, requirement and strength as labels', () => {
    expect(read().of('warned')?.labels).toEqual(
      expect.arrayContaining([
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

  test('have the exchanges beside them', () => {
    const { files, of } = read();
    for (const slug of ['broken', 'held']) {
      const [attachment] = of(slug)?.attachments ?? [];
      const text = files.get(attachment?.source ?? '');
      expect(text).toContain(
        'GET https://compute.example.com/v1/instances?size=201\nAuthorization: Bearer [redacted',
      );
      expect(text).toContain('400\ncontent-type: application/json\n\n{"error"');
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
    for (const { name, content } of allureFiles(hostileReport())) {
      expect(name).toMatch(/^[\w-]+\.(?:json|txt|properties)$/u);
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
      'staging=https://compute.example.com/v1\n',
    );
  });
});
