/** The suite itself as a client of `plumbline observe`: the odd requests that it sends pass unchanged, and are no false alarm. */

import { expect, test } from 'vitest';
import { computeFaults } from '../../harness/reference/compute/faults/index.ts';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { runConformance } from '../../harness/cli/library/run-conformance.ts';
import { observing } from './observing.ts';

const ASKED = { only: ['compute.authentication', 'compute.get-instance'], seed: 5 };

test('what a run finds through it is what it finds without it', async () => {
  const reference = await startCompute();
  const observed = await observing(reference.target(), ['--exclusive']);
  try {
    const through = { ...reference.target(), baseUrl: `${observed.origin}/v1` };
    const run = await runConformance(through, ASKED);
    expect(run.requirements.flatMap(({ findings }) => findings)).toEqual([]);
    expect(run.targets[0]?.summary.stated.inconclusive).toBe(0);
    const { code, report, told } = await observed.end();
    expect(report.requirements.flatMap(({ findings }) => findings)).toEqual([]);
    expect(code, told).toBe(0);
    const [target] = report.targets;
    expect(target?.observed?.notJudged).toEqual([]);
    // What a run sends before and after its cases passes here, too.
    expect(target?.observed?.judged).toBeGreaterThanOrEqual(run.run.requests);
  } finally {
    observed.kill();
    await reference.close();
  }
});

test('a fault that any client can meet is found in the traffic of others', async () => {
  const fault = computeFaults.find(({ name }) => name === 'envelope-is-flat');
  if (fault === undefined) throw new Error('there is no such fault');
  const reference = await startCompute({ patch: fault.patch });
  const observed = await observing(reference.target());
  try {
    const headers = { Authorization: `Bearer ${reference.target().keys.primary}` };
    for (const path of ['regions', 'instances/no-uuid']) {
      await (await fetch(`${observed.origin}/v1/${path}`, { headers })).text();
    }
    const { code, report, told } = await observed.end();
    expect(code, told).toBe(1);
    const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
    expect(failed.map(({ id }) => id)).toEqual([fault.aims, ...fault.besides]);
    const [finding] = failed[0]?.findings ?? [];
    expect(report.exchanges.find(({ id }) => id === finding?.exchange)?.request.url).toBe(
      `${reference.baseUrl}/instances/no-uuid`,
    );
  } finally {
    observed.kill();
    await reference.close();
  }
});
