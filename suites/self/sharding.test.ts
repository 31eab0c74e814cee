/** Several processes run one shard each: their merged report equals that of a single process. */

import path from 'node:path';
import { expect, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { startScriptedRouter } from '../../harness/reference/router/start.ts';
import { plannedCases } from '../../harness/runner/selection.ts';
import { conformanceReport } from '../../schemas/report.ts';
import { sections } from '../all.ts';
import { folderFor, plumbline } from './command.ts';

/** Transient states last long enough to be observed on a machine that runs several processes at once. */
const SEEN_MS = { starting: 500, stopping: 500, teardown: 300, terminating: 1_500 };

/** Sections whose cases change or use up resources that the shards share. */
const shared = {
  compute: {
    start: async () => startCompute({ timings: SEEN_MS }),
    only: ['states', 'stop-instance', 'terminate-instance', 'regions'],
  },
  router: {
    start: async () => startScriptedRouter(),
    only: ['admission', 'rate-limit-rules', 'endpoints'],
  },
} as const;

const resultOf = (shard: number): string => path.join(`shard-${shard}`, 'conformance.json');

test.concurrent.for(['compute', 'router'] as const)(
  'shards of one %s deployment at the same time say together what one process would',
  { timeout: 240_000 },
  async (contract, { expect: expectHere }) => {
    const reference = await shared[contract].start();
    const folder = folderFor(reference);
    const only = shared[contract].only.map((name) => `${contract}.${name}`);
    const run = ['run', 'target.yaml', '--seed', '7', '--runs', '5'];
    run.push(...only.flatMap((one) => ['--only', one]));
    const shards = await Promise.all(
      [1, 2].map(async (index) =>
        plumbline([...run, '--shard', `${index}/2`, '--out', `shard-${index}`], folder),
      ),
    );
    await reference.close();
    for (const { code, stdout, stderr } of shards) {
      expectHere({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    }

    const merged = await plumbline(['merge', resultOf(1), resultOf(2), '--json'], folder);
    expectHere(merged.code).toBe(0);
    const { requirements, cases } = conformanceReport.parse(JSON.parse(merged.stdout));
    const wrong = requirements.filter(
      ({ verdict }) => !['passed', 'observed', 'not-exercised'].includes(verdict),
    );
    expectHere(wrong.map(({ id, verdict, reason }) => ({ id, verdict, reason }))).toEqual([]);
    // Every case ran exactly once, in any shard.
    const all = plannedCases(sections, contract, { only }).map(
      ({ section, one }) => `${contract}/${section.name} › ${one.title}`,
    );
    expectHere(cases.map((one) => one.case).toSorted()).toEqual(all.toSorted());
  },
);

test('a shard for which there is no case left conforms', async () => {
  const reference = await startCompute();
  const folder = folderFor(reference);
  const part = ['run', 'target.yaml', '--only', 'compute.regions.codes-exact', '--shard', '9/9'];
  const last = await plumbline(part, folder);
  await reference.close();
  expect(last).toMatchObject({ code: 0, stdout: expect.stringMatching(/no case/u) });
});
