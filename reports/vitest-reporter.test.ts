import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVitest } from 'vitest/node';

import type { CaseOutcome } from '../schemas/outcome.ts';
import type { RunnerError } from '../schemas/report.ts';
import { sampleFinding, sampleOutcome } from './sample.test.support.ts';
import { OutcomeReporter } from './vitest-reporter.ts';

const held = sampleOutcome({ case: 'held' });
const broken = sampleOutcome({ case: 'broken', findings: [sampleFinding('compute.a.b')] });
const CASES = `
import { afterAll, describe, test } from 'vitest';
describe('staging', () => { describe('compute/list-instances', () => {
  test('holds', ({ task }) => { task.meta.outcome = ${JSON.stringify(held)}; });
  test('is broken', ({ task }) => { task.meta.outcome = ${JSON.stringify(broken)}; });
  test('fails after a clean outcome', ({ task }) => {
    task.meta.outcome = ${JSON.stringify(held)};
    throw new Error('after the outcome');
  });
  test('dies', () => { throw new Error('before the outcome'); });
  test.skip('is left out', () => {});
});
describe('compute/regions', () => {
  afterAll(() => { throw new Error('clean-up'); });
  test('is silent', () => {});
}); });
`;

const outcomes: CaseOutcome[] = [];
const troubles: RunnerError[] = [];
const totals: number[] = [];
const reporter = new OutcomeReporter({
  onOutcome: (outcome) => outcomes.push(outcome),
  onError: (trouble) => troubles.push(trouble),
  onCases: (total) => totals.push(total),
});
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, '..', 'node_modules', '.reporter-'));
  await writeFile(join(folder, 'cases.test.ts'), CASES);
  await writeFile(join(folder, 'broken.test.ts'), `throw new Error('no cases here');`);
  const exitCode = process.exitCode;
  const vitest = await startVitest('test', [], {
    root: folder,
    config: false,
    watch: false,
    include: ['*.test.ts'],
    exclude: [],
    reporters: [reporter],
  });
  await vitest.close();
  process.exitCode = exitCode;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('hands over every outcome', () => {
  expect(outcomes.map((outcome) => outcome.case)).toEqual(['held', 'broken', 'held']);
  expect(totals.at(-1)).toBe(6);
});

test('a violation is no trouble of ours; everything else that failed is', () => {
  expect(troubles.map(({ target, message }) => [target, message])).toEqual([
    ['staging', 'after the outcome'],
    ['staging', 'before the outcome'],
    ['staging', 'the case ended without an outcome'],
    ['', 'no cases here'],
    ['staging', 'clean-up'],
  ]);
});
