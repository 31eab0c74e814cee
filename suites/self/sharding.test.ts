/** Several processes, each with its part of the run: merged, they say what one process says. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { startScriptedRouter } from '../../harness/reference/router/start.ts';
import { type ConformanceReport, conformanceReport } from '../../schemas/report.ts';
import { sections } from '../all.ts';
import { type Finished, folderWith, plumbline } from './command.ts';

const SHARDS = 3;

/** States that pass stay long enough to be seen on a machine that runs several processes at once. */
const SEEN_MS = { starting: 500, stopping: 500, teardown: 300, terminating: 1_500 };

const deployments = {
  compute: async () => startCompute({ timings: SEEN_MS }),
  router: async () =>
    startScriptedRouter({ limits: { maxRequestBytes: 256 * 1024, requestTimeoutMs: 8_000 } }),
} as const;

describe.for(['compute', 'router'] as const)('%s', (contract) => {
  test(
    'shards of one deployment at the same time say together what one process would',
    { timeout: 240_000 },
    async () => {
      const reference = await deployments[contract]();
      const folder = folderWith({ 'target.yaml': JSON.stringify(reference.target()) });
      const run = ['run', 'target.yaml', '--seed', '7', '--runs', '5'];
      const shards = await Promise.all(
        Array.from({ length: SHARDS }, async (_, at) =>
          plumbline([...run, '--shard', `${at + 1}/${SHARDS}`, '--out', `shard-${at + 1}`], folder),
        ),
      );
      for (const { code, stdout, stderr } of shards) {
        expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
      }

      const merged = await plumbline(
        [
          'merge',
          ...shards.map((_, at) => path.join(`shard-${at + 1}`, 'conformance.json')),
          '--json',
        ],
        folder,
      );
      await reference.close();
      expect(merged.code).toBe(0);
      const { requirements, cases } = resultOf(merged);
      // What one process finds of a conforming deployment is in the reference's own test: nothing wrong, nothing in doubt.
      const wrong = requirements.filter(
        ({ verdict }) => !['passed', 'observed', 'not-exercised'].includes(verdict),
      );
      expect(wrong.map(({ id, verdict, reason }) => ({ id, verdict, reason }))).toEqual([]);
      // Every case was run once, wherever.
      const all = sections
        .filter((section) => section.contract === contract)
        .flatMap((section) =>
          section.cases.map(({ title }) => `${contract}/${section.name} › ${title}`),
        );
      expect(cases.map((one) => one.case).toSorted()).toEqual(all.toSorted());
    },
  );
});

test('a shard for which there is no case left conforms', { timeout: 120_000 }, async () => {
  const reference = await startCompute();
  const folder = folderWith({ 'target.yaml': JSON.stringify(reference.target()) });
  const part = ['run', 'target.yaml', '--only', 'compute.regions.codes-exact', '--shard'];
  const [first, last] = await Promise.all([
    plumbline([...part, '1/9', '--out', 'first'], folder),
    plumbline([...part, '9/9', '--out', 'last'], folder),
  ]);
  await reference.close();
  expect([first.code, last.code]).toEqual([0, 0]);
  expect(last.stdout).toMatch(/no case/u);
});

test('a part that is missing is noticed', { timeout: 120_000 }, async () => {
  const reference = await startCompute();
  const folder = folderWith({ 'target.yaml': JSON.stringify(reference.target()) });
  const part = ['run', 'target.yaml', '--seed', '7', '--section', 'regions', '--shard', '1/2'];
  await plumbline([...part, '--out', 'one'], folder);
  const merged = await plumbline(['merge', 'one/conformance.json'], folder);
  await reference.close();
  expect(merged.code).not.toBe(0);
  expect(merged.stderr).toContain('2');
});

function resultOf({ stdout }: Finished): ConformanceReport {
  return conformanceReport.parse(JSON.parse(stdout));
}
