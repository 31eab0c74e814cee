/** The whole compute contract against conforming deployments in every condition that a run may meet: none may look at fault. */

import { expect, test, vi } from 'vitest';
import { runConformance } from '../../harness/cli/library/run-conformance.ts';
import { type ComputeOptions, startCompute } from '../../harness/reference/compute/start.ts';
import { presetChoices } from '../../harness/reference/compute/variants/variant.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import type { TargetFileInput } from '../../schemas/contracts.ts';

// Eight whole runs at once, one of them against a slow server, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 240_000 });

type TargetFile = ReturnType<Awaited<ReturnType<typeof startCompute>>['target']>;
type Change = (file: TargetFile) => TargetFileInput;

const asItIs: Change = (file) => file;

/** On the second key alone: low enough to be met, high enough not to be in the way. */
const limited: ComputeOptions = {
  rateLimit: { requests: 40, perSeconds: 1, roles: ['second'] },
  choices: { rateWindow: 'fixed' },
};

/** A whole run, with few values a property: what is looked for here lies in the conditions. */
async function runAgainst(options: ComputeOptions, change: Change = asItIs) {
  const reference = await startCompute(options);
  try {
    const report = await runConformance(change(reference.target()), { seed: 5, runs: 3 });
    return { report, world: reference.world };
  } finally {
    await reference.close();
  }
}

/** What a person would be told that is wrong, or would miss the reason of. */
function complaints({ requirements }: ConformanceReport): readonly string[] {
  return requirements.flatMap(({ id, verdict, observations, reason, findings }) => {
    if (verdict === 'failed' || verdict === 'warned' || verdict === 'error') {
      return [`${id} ${verdict}: ${findings[0]?.message ?? reason ?? ''}`];
    }
    const silent =
      verdict === 'passed' || verdict === 'observed' ? observations === 0 : (reason ?? '') === '';
    return silent ? [`${id} ${verdict} without anything to show for it`] : [];
  });
}

function withVerdict(
  { requirements }: ConformanceReport,
  wanted: ConformanceReport['requirements'][number]['verdict'],
): readonly string[] {
  return requirements.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
}

/**
 * What was not exercised, but for states that pass by in less than an answer may take, and for what the reference does not
 * show: slow stops.
 */
function missed(report: ConformanceReport): readonly string[] {
  const passing = /500|internal-error|early|terminating-answer|returns-at-once/u;
  return withVerdict(report, 'not-exercised').filter((id) => !passing.test(id));
}

function reasonOf({ requirements }: ConformanceReport, id: string): string {
  return requirements.find((one) => one.id === id)?.reason ?? '';
}

test.concurrent('a target that takes 300 ms for each answer is only slow', async () => {
  const { report } = await runAgainst({ latencyMs: 300, instances: 20 }, (file) => ({
    ...file,
    budget: { ...file.budget, concurrency: 32 },
  }));
  expect(complaints(report)).toEqual([]);
  // A limit is not to be met this slowly, and a look after a stop comes too late to show TERMINATING.
  const unmet = /rate-limiting|429|too-many|terminating-conflict/u;
  expect(missed(report).filter((id) => !unmet.test(id))).toEqual([]);
});

test.concurrent('five requests a second are waited for, and what the time does not allow is said', async () => {
  const { report } = await runAgainst({ rateLimit: { requests: 5, perSeconds: 1 } }, (file) => ({
    ...file,
    consent: {},
    budget: { ...file.budget, minutes: 0.4 },
  }));
  expect(complaints(report)).toEqual([]);
  expect(withVerdict(report, 'passed')).toContain('compute.errors.code-too-many-requests');
  expect(withVerdict(report, 'inconclusive').length).toBeGreaterThan(0);
});

test.concurrent('an account without instances proves nothing about instances', async () => {
  const { report } = await runAgainst({ instances: 0 }, (file) => ({ ...file, instances: {} }));
  expect(complaints(report)).toEqual([]);
  expect(withVerdict(report, 'not-exercised')).toContain('compute.pagination.walk-200');
  expect(reasonOf(report, 'compute.pagination.walk-200')).toMatch(/instance/u);
});

test.concurrent('an account with 10,000 instances stays within the budget', async () => {
  const { report } = await runAgainst({ instances: 10_000 }, (file) => ({
    ...file,
    budget: { ...file.budget, requests: 3_000 },
  }));
  expect(complaints(report)).toEqual([]);
  expect(report.run.requests).toBeLessThanOrEqual(3_000);
  expect(withVerdict(report, 'passed')).toContain('compute.list-instances.size-maximum');
});

test.concurrent('other bindings lead to the same verdicts', async () => {
  const { report } = await runAgainst({
    ...limited,
    choices: {
      ...limited.choices,
      ...presetChoices({ items: 'presets', skuFilter: 'sku_name', freeTextFilter: 'q' }),
      terminatePath: '/instances/{id}/actions/destroy',
      start: { method: 'PUT', path: '/boot-up/{id}' },
      getInstanceMember: 'instance',
      regionsBody: { member: 'regions', item: undefined },
    },
  });
  expect(complaints(report)).toEqual([]);
  expect(missed(report)).toEqual([]);
});

test.concurrent('with one key nothing is said of a second account', async () => {
  const { report } = await runAgainst({}, ({ keys: { primary }, ...file }) => ({
    ...file,
    keys: { primary },
  }));
  expect(complaints(report)).toEqual([]);
  expect(withVerdict(report, 'not-exercised')).toContain('compute.scoping.foreign-get');
});

test.concurrent('with permission to read alone nothing changes, and nothing that would change passes', async () => {
  const { report, world } = await runAgainst({}, (file) => ({ ...file, consent: {} }));
  expect(complaints(report)).toEqual([]);
  expect(world.audit).toEqual([]);
  expect(withVerdict(report, 'not-exercised')).toEqual(
    expect.arrayContaining(['compute.stop-instance.stopped-accepted']),
  );
});

test.concurrent.for(['stop', 'terminate'] as const)(
  'with permission to %s alone, what needs the other permission says so',
  async (given, { expect: expectHere }) => {
    const only = (file: TargetFile) => ({ ...file, consent: { [given]: true } });
    const { report } = await runAgainst({}, only);
    expectHere(complaints(report)).toEqual([]);
    const asked = given === 'stop' ? 'consent.terminate' : 'consent.stop';
    const needs = report.requirements.filter(({ gaps }) =>
      gaps.some(({ line }) => line?.includes(asked.replace('consent.', '')) === true),
    );
    expectHere(needs.length).toBeGreaterThan(3);
  },
);

test.concurrent('other people at work in the account put nothing in doubt', async () => {
  const { report } = await runAgainst({ ...limited, activity: { perSecond: 10 } });
  expect(complaints(report)).toEqual([]);
  expect(missed(report)).toEqual([]);
});
