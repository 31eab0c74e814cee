/** The sections that change instances, against the reference and against servers that break it. */

import { isComputeTarget } from '../../schemas/compute/target.ts';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type ComputeOptions, startCompute } from '../../harness/reference/compute/start.ts';
import { instantTimings } from '../../harness/reference/compute/model.ts';
import { openComputeSession } from '../../harness/drivers/compute/session.ts';
import type { Section } from '../../harness/runner/case.ts';
import { casesOf, runCases } from '../../harness/runner/run.ts';
import { parseTarget } from '../../harness/target/load.ts';

const folder = new URL('../compute/', import.meta.url);
const mine = /^(?:stop-instance|terminate-instance|start-instance|states|scoping)[a-z-]*\.ts$/u;

async function sections(files: RegExp): Promise<readonly Section<never>[]> {
  const names = readdirSync(fileURLToPath(folder)).filter((file) => files.test(file));
  const modules: { default: Section<never> }[] = await Promise.all(
    names.map(async (file) => import(new URL(file, folder).href)),
  );
  return modules.map((module) => module.default);
}

interface Replay {
  readonly property: string;
  readonly path: string;
}

type TargetFile = ReturnType<Awaited<ReturnType<typeof startCompute>>['target']>;

/** Runs the sections once; `listed` disposable ids take the place of the provision request. */
async function run(
  options: ComputeOptions = {},
  change: (file: object) => object = (file) => file,
  listed = 0,
  { files = mine, replay }: { readonly files?: RegExp; readonly replay?: Replay } = {},
) {
  const reference = await startCompute(options);
  const file = reference.target();
  const ids: string[] = [];
  for (let n = 0; n < listed; n += 1) ids.push(await provision(file));
  const changed = listed === 0 ? file : { ...file, instances: { provision: ids } };
  const {
    target,
    keys,
    folder: where,
  } = parseTarget(JSON.stringify(change(changed)), 'reference.yaml');
  if (!isComputeTarget(target)) throw new Error('no compute target');
  const secrets = Object.fromEntries([...keys].map(([name, key]) => [name, key.reveal()]));
  const session = await openComputeSession(
    { target, secrets, folder: where },
    { runId: 'self', journal: join(tmpdir(), `plumbline-self-${process.pid}-${Math.random()}`) },
  );
  try {
    const outcomes = await runCases(casesOf(await sections(files), 'compute'), session, {
      ...(replay === undefined ? {} : { replay }),
      seed: 11,
      runs: 20,
      signal: new AbortController().signal,
    });
    return {
      world: reference.world,
      broken: [
        ...new Set(outcomes.flatMap(({ findings }) => findings.map((one) => one.requirement))),
      ],
      counterexamples: outcomes.flatMap(({ findings }) =>
        findings.flatMap((one) => one.counterexample ?? []),
      ),
      errors: outcomes.flatMap(({ errors }) => errors.map(({ message }) => message)),
      seen: new Set(outcomes.flatMap((outcome) => Object.keys(outcome.seen))),
    };
  } finally {
    await session.close();
    await reference.close();
  }
}

async function provision({ baseUrl, keys }: TargetFile): Promise<string> {
  const answer = await fetch(`${baseUrl}/_provision`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys.primary}`, 'Content-Type': 'application/json' },
    body: '{}',
  });
  const made: unknown = await answer.json();
  return typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : '';
}

test.each<readonly [string, ComputeOptions]>([
  ['as it is', {}],
  ['that settles at once', { timings: instantTimings }],
  ['whose answers show the state before', { choices: { answerShows: 'before' } }],
  [
    'that hides what is terminated',
    { choices: { terminatedReadable: false, terminatedListed: 'when-asked' } },
  ],
  ['in which others act', { activity: { perSecond: 50 } }],
])('the reference %s gets no finding, and no bystander is touched', async (_name, options) => {
  const { broken, errors, world } = await run(options);
  expect(broken).toEqual([]);
  expect(errors).toEqual([]);
  expect(world.touchedBystanders()).toEqual([]);
  expect(world.actions.length).toBeGreaterThan(0);
});

test('two listed instances give part of the picture, and are the only ones touched', async () => {
  const { broken, errors, seen, world } = await run({}, (file) => file, 2);
  expect([...broken, ...errors]).toEqual([]);
  expect(seen).toContain('compute.stop-instance.stopped-accepted');
  expect(seen).toContain('compute.scoping.foreign-stop-changes-nothing');
  expect(world.touchedBystanders()).toEqual([]);
});

test('without leave nothing is changed', async () => {
  const { broken, errors, world } = await run({}, (file) => ({ ...file, consent: {} }));
  expect([...broken, ...errors]).toEqual([]);
  expect(world.audit).toEqual([]);
});

test('a server that ignores stops is found by the model, and the counterexample replays', async () => {
  const ignoring: ComputeOptions = {
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) =>
        instance.state === 'RUNNING' ? 'ignore' : rules.stopOutcome(instance, context),
    }),
  };
  const files = /^states\.ts$/u;
  const first = await run(ignoring, undefined, 0, { files });
  expect(first.broken).toContain('compute.states.running-stop-settles');
  const [found] = first.counterexamples;
  const replay = { property: 'schedules of calls', path: found?.path ?? '' };
  const again = await run(ignoring, undefined, 0, { files, replay });
  expect(again.counterexamples[0]?.value).toBe(found?.value);
  expect(again.world.actions.length).toBeLessThan(first.world.actions.length);
});

test('a server that lets another account stop is found', async () => {
  const { broken } = await run({
    patch: (rules) => ({ ...rules, visibleTo: () => true }),
  });
  expect(broken).toContain('compute.scoping.foreign-stop');
  expect(broken).toContain('compute.scoping.foreign-get');
});
