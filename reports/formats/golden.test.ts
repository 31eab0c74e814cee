/**
 * One run with something of every kind, in each form that it is written in. `npx vitest run reports/formats/golden -u` writes the
 * files anew: what changed in them is what readers will see.
 */

import path from 'node:path';
import { expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import {
  allureFiles,
  sampleExchange,
  sampleFinding,
  sampleGap,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import { badge } from './badge.ts';
import { reportToCtrf } from './ctrf.ts';
import { reportToJunit } from './junit.ts';
import { reportToMarkdown } from './markdown.ts';
import { terminalSummary } from './terminal.ts';

const id = (slug: string): string => `compute.list.${slug}`;
const gap = (slug: string, told: Partial<CaseOutcome['gaps'][number]>) =>
  sampleGap(id(slug), { reason: 'the account is empty', ...told });
const deviation = (slug: string, expires = '2030-01-01') => ({
  requirement: id(slug),
  reason: 'old proxy',
  link: 'https://tracker.example/1',
  expires,
});

const second = { reason: 'needs a second key', line: 'keys: { second: ${K} }' };
const quota = {
  reason: 'a quota of 60 requests a minute does not tell how fast it fills',
  line: 'keys: { requestsPerMinute: { key: ${K}, limit: 120 } }',
};

const report = sampleReport({
  catalogue: [
    'broken',
    'erred',
    'held',
    'late',
    'partly',
    'empty',
    'lacking',
    'unclear',
    'waived',
    'expired',
    'healed',
  ]
    .map((slug) => sampleRequirement(id(slug)))
    .concat(
      sampleRequirement(id('quota'), { needs: ['keys.second'] }),
      sampleRequirement(id('untried'), { needs: ['keys.second'] }),
      sampleRequirement(id('warned'), { strength: 'implied' }),
      sampleRequirement(id('also-lacking'), { strength: 'implied' }),
      sampleRequirement(id('open'), { strength: 'open' }),
    ),
  outcomes: [
    {
      judges: ['broken', 'held', 'unclear', 'lacking'].map(id),
      seen: Object.fromEntries(
        ['held', 'late', 'partly', 'healed', 'open'].map((slug) => [id(slug), 1]),
      ),
      tries: { [id('late')]: 3 },
      samples: { [id('held')]: 'e2' },
      exchanges: [sampleExchange(), sampleExchange({ id: 'e2' })],
      findings: [
        sampleFinding(id('broken'), {
          exchanges: ['e1'],
          counterexample: { property: 'sizes', value: '201', seed: 1, path: '0:0' },
        }),
        ...['warned', 'waived', 'expired'].map((slug) => sampleFinding(id(slug))),
      ],
      gaps: [
        gap('unclear', { kind: 'inconclusive', reason: 'the account was busy' }),
        gap('empty', {}),
        gap('partly', {}),
        gap('lacking', second),
        gap('also-lacking', second),
        gap('quota', quota),
      ],
      properties: [{ name: 'sizes', runs: 20, informative: 19, seed: 1 }],
      requests: 12,
      retries: 2,
    },
    {
      case: 'compute/list-instances › throws',
      judges: [id('erred')],
      errors: [{ message: 'TypeError: x', stack: undefined }],
    },
  ],
  deviations: [deviation('waived'), deviation('expired', '2026-11-01'), deviation('healed')],
});

/** What Allure reads of it, without what is drawn anew each time. */
function allureResults(): string {
  const texts = allureFiles(report);
  const results = [...texts]
    .filter(([name]) => name.endsWith('-result.json'))
    .map(([, text]): { name: string; status: string } => JSON.parse(text, withAttachments(texts)))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const whole = results.filter(({ name }) => ['broken', 'held', 'waived'].map(id).includes(name));
  return [
    ...[...texts].flatMap(([name, text]) => (name.endsWith('.properties') ? text.trim() : [])),
    ...results.map(({ name, status }) => `${name} ${status}`),
    ...whole.map((one) => JSON.stringify({ ...one, uuid: 'drawn' }, null, 1)),
    '',
  ].join('\n\n');
}

/** Attachments are files of drawn names: their content stands in their place. */
function withAttachments(texts: ReadonlyMap<string, string>) {
  return (key: string, value: unknown): unknown =>
    key === 'source' && typeof value === 'string' ? JSON.parse(texts.get(value) ?? '') : value;
}

test.for([
  ['terminal', terminalSummary(report, { colour: false, width: 100 })],
  ['markdown', reportToMarkdown(report)],
  ['junit', reportToJunit(report)],
  ['ctrf', reportToCtrf(report)],
  ['badge', report.targets.map((target) => badge(report, target)).join('')],
  ['allure-results', allureResults()],
] as const)('%s', async ([name, text]) => {
  await expect(text).toMatchFileSnapshot(path.join('golden', `${name}.txt`));
});
