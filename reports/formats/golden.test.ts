/**
 * A run with something of every kind, in each report format. `npx vitest run reports/formats/golden -u` updates the
 * files. Review the changes, since users will see them.
 */

import path from 'node:path';
import { expect, test } from 'vitest';
import { everyKind, id } from '../sample-run.test.support.ts';
import { allureFiles, sampleReport } from '../sample.test.support.ts';
import { badge } from './badge.ts';
import { reportToCtrf } from './ctrf.ts';
import { reportToJunit } from './junit.ts';
import { reportToMarkdown } from './markdown.ts';
import { terminalSummary } from './terminal.ts';

const report = sampleReport(everyKind);

/** Allure's result files, without random parts. */
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

/** Attachments have random file names, so their content is shown instead. */
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
