/** Several processes, each with its part of the run: merged, they say what one process says. */

import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';
import { type ConformanceReport, conformanceReport } from '../../schemas/report.ts';
import { type Finished, folderWith, plumbline } from './command.ts';

const SHARDS = 3;

let reference: ComputeReference;
beforeAll(async () => {
  reference = await startCompute();
});
afterAll(async () => reference.close());

test(
  'shards of one deployment at the same time, requirement by requirement',
  { timeout: 240_000 },
  async () => {
    const folder = folderWith({ 'target.yaml': JSON.stringify(reference.target()) });
    const run = ['run', 'target.yaml', '--seed', '7'];
    const shards = await Promise.all(
      Array.from({ length: SHARDS }, async (_, at) =>
        plumbline([...run, '--shard', `${at + 1}/${SHARDS}`, '--out', `shard-${at + 1}`], folder),
      ),
    );
    for (const { code, stderr } of shards) expect({ code, stderr }).toMatchObject({ code: 0 });

    const merged = await plumbline(
      [
        'merge',
        ...shards.map((_, at) => path.join(`shard-${at + 1}`, 'conformance.json')),
        '--json',
      ],
      folder,
    );
    expect(merged.code).toBe(0);
    const whole = await plumbline([...run, '--json'], folder);
    expect(whole.code).toBe(0);
    expect(verdicts(resultOf(merged))).toEqual(verdicts(resultOf(whole)));
    expect(casesOf(resultOf(merged))).toEqual(casesOf(resultOf(whole)));
  },
);

test('a part that is missing is noticed', { timeout: 120_000 }, async () => {
  const folder = folderWith({ 'target.yaml': JSON.stringify(reference.target()) });
  const part = ['run', 'target.yaml', '--seed', '7', '--section', 'regions', '--shard', '1/2'];
  await plumbline([...part, '--out', 'one'], folder);
  const merged = await plumbline(['merge', 'one/conformance.json'], folder);
  expect(merged.code).not.toBe(0);
  expect(merged.stderr).toContain('2');
});

function resultOf({ stdout }: Finished): ConformanceReport {
  return conformanceReport.parse(JSON.parse(stdout));
}

function verdicts({ requirements }: ConformanceReport): ReadonlyMap<string, string> {
  return new Map(requirements.map(({ id, verdict }) => [id, verdict]));
}

/** Every case was run once, wherever. */
function casesOf({ cases }: ConformanceReport): readonly string[] {
  return cases.map((one) => one.case).toSorted();
}
