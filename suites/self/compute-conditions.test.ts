/** Conforming deployments with minimal or demanding target files, none of which may be reported as violating. */

import { expect, test, vi } from 'vitest';
import { runConformance } from '../../harness/cli/library/run-conformance.ts';
import { type ComputeOptions, startCompute } from '../../harness/reference/compute/start.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import type { TargetFileInput } from '../../schemas/contracts.ts';
import { randomUUID } from 'node:crypto';
import { faultOf } from './broken.ts';

vi.setConfig({ testTimeout: 240_000 });

type Reference = Awaited<ReturnType<typeof startCompute>>;
type TargetFile = ReturnType<Reference['target']>;
type World = Reference['world'];

/** A run with few values per property, since the conditions matter here. */
async function runAgainst(
  options: ComputeOptions,
  change: (file: TargetFile, world: World) => TargetFileInput | Promise<TargetFileInput>,
  ...only: readonly string[]
) {
  const reference = await startCompute(options);
  const { world } = reference;
  try {
    const file = await change(reference.target(), world);
    return { report: await runConformance(file, { seed: 5, runs: 3, only }), world };
  } finally {
    await reference.close();
  }
}

/** Requirements that are reported as wrong, or without the reason that a reader needs. */
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

test.concurrent('a target that takes 300 ms for each answer is only slow', async () => {
  const { report } = await runAgainst(
    { latencyMs: 300, instances: 20 },
    (file) => ({ ...file, budget: { ...file.budget, concurrency: 32 } }),
    'compute.list-instances',
    'compute.stop-instance',
    'compute.start-instance',
  );
  expect(complaints(report)).toEqual([]);
  expect(withVerdict(report, 'passed')).toContain('compute.stop-instance.stopped-accepted');
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

test.concurrent('an account with 10,000 instances stays within the budget', async () => {
  const { report } = await runAgainst(
    { instances: 10_000 },
    (file) => ({ ...file, budget: { ...file.budget, requests: 1_000 } }),
    'compute.list-instances',
    'compute.pagination',
  );
  expect(complaints(report)).toEqual([]);
  expect(report.run.requests).toBeLessThanOrEqual(1_000);
  expect(withVerdict(report, 'passed')).toContain('compute.list-instances.size-maximum');
});

/** Makes 300 instances of the presets of the first ones, which have cost nothing yet. */
function newNights(world: World, unlike: number): void {
  const first = world.accountOf('primary').instances.slice(0, unlike);
  for (let made = 0; made < 300; made += 1) {
    const like = first[made % unlike];
    if (like === undefined) throw new Error('The account has instances.');
    const { account, preset, origin } = like;
    world.create(account, { id: randomUUID(), name: `night-${made}`, preset, origin });
  }
}

test.concurrent('an account whose newest instances are all alike is sorted by its oldest', async () => {
  const { report } = await runAgainst(
    {},
    (file, world) => {
      newNights(world, 1);
      return file;
    },
    'compute.list-instances.sort',
    'compute.pagination',
  );
  expect(complaints(report)).toEqual([]);
  expect(withVerdict(report, 'not-exercised')).toEqual([]);
  expect(withVerdict(report, 'passed')).toContain('compute.list-instances.sort-region');
});

test.concurrent('an account whose newest instances have cost nothing is sorted by its oldest', async () => {
  const sort = 'compute.list-instances.sort-current-cost';
  const { report } = await runAgainst(
    { patch: faultOf('cost-sorts-as-text').patch },
    (file, world) => {
      newNights(world, 10);
      return file;
    },
    sort,
  );
  expect(withVerdict(report, 'failed')).toContain(sort);
});

test.concurrent('with one key, no instances and consent to read alone nothing changes, and nothing else passes', async () => {
  const { report, world } = await runAgainst({ instances: 0 }, (file) => ({
    ...file,
    keys: { primary: file.keys.primary },
    consent: {},
    instances: {},
  }));
  expect(complaints(report)).toEqual([]);
  expect(world.audit).toEqual([]);
  expect(withVerdict(report, 'not-exercised')).toEqual(
    expect.arrayContaining([
      'compute.stop-instance.stopped-accepted',
      'compute.scoping.foreign-get',
      'compute.pagination.walk-200',
    ]),
  );
});

const CHANGING = ['states', 'stop-instance', 'start-instance', 'terminate-instance', 'scoping'].map(
  (section) => `compute.${section}`,
);

test.concurrent.for(['stop', 'terminate'] as const)(
  'with consent to %s alone, what needs the other consent says so',
  async (given, { expect: expectHere }) => {
    const only = (file: TargetFile) => ({ ...file, consent: { [given]: true } });
    const { report, world } = await runAgainst({}, only, ...CHANGING);
    expectHere(complaints(report)).toEqual([]);
    expectHere(world.touchedBystanders()).toEqual([]);
    const asked = given === 'stop' ? 'terminate' : 'stop';
    const needs = report.requirements.filter(({ gaps }) =>
      gaps.some(({ line }) => line?.includes(asked) === true),
    );
    expectHere(needs.length).toBeGreaterThan(3);
  },
);

test.concurrent('two listed instances give part of the picture, and are the only ones touched', async () => {
  const { report, world } = await runAgainst(
    { activity: { perSecond: 10 } },
    async (file) => {
      const ids = await Promise.all([provision(file), provision(file)]);
      return { ...file, instances: { provision: ids } };
    },
    ...CHANGING,
  );
  expect(complaints(report)).toEqual([]);
  expect(withVerdict(report, 'passed')).toContain('compute.stop-instance.stopped-accepted');
  expect(world.touchedBystanders()).toEqual([]);
});

async function provision({ baseUrl, keys }: TargetFile): Promise<string> {
  const answer = await fetch(`${baseUrl}/_provision`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys.primary}`, 'Content-Type': 'application/json' },
    body: '{}',
  });
  const made: unknown = await answer.json();
  return typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : '';
}

const CONFLICT = 'compute.stop-instance.terminated-conflict';

/** The result for a stop of a terminated instance. No instance is created, so only the ids in the target file count. */
async function saidOfStop(options: ComputeOptions, ids?: readonly string[]) {
  const change = (file: TargetFile): TargetFileInput => {
    const { provision: _, ...instances } = file.instances;
    const terminated = ids === undefined ? {} : { terminated: [...ids] };
    return { ...file, instances: { ...instances, ...terminated } };
  };
  const { report } = await runAgainst(options, change, CONFLICT);
  return report.requirements.find(({ id }) => id === CONFLICT);
}

const { patch } = faultOf('terminated-stop-is-404');
const hidden = { terminatedListed: 'when-asked', terminatedReadable: false } as const;
const nowhere = randomUUID();

test.for<[string, ComputeOptions, string[] | undefined, object]>([
  [
    'an id that exists nowhere is not exercised, and named',
    {},
    [nowhere],
    { verdict: 'not-exercised', reason: expect.stringContaining(nowhere) },
  ],
  ['a 404 for what can be read is a violation', { patch }, undefined, { verdict: 'failed' }],
  [
    'a 404 for what is listed among the terminated alone is a violation',
    { patch, choices: hidden },
    undefined,
    { verdict: 'failed' },
  ],
])('%s', async ([, options, ids, said]) => {
  expect(await saidOfStop(options, ids)).toMatchObject(said);
});
