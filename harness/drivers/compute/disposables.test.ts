import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Disposables, missingProgram } from './disposables.ts';
import { isComputeTarget, type Provision } from '../../../schemas/compute/target.ts';
import { ComputeGuard } from '../../exchange/compute-guard.ts';
import type { InstanceState } from '../../reference/compute/model.ts';
import { type ComputeReference, startCompute } from '../../reference/compute/start.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { Journal } from '../journal.ts';
import { connectForReading } from '../../contracts/preflight.ts';
import { ComputeApi } from './api.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
  writeFileSync(path.join(folder, 'make.sh'), '#!/bin/sh\n');
  writeFileSync(path.join(folder, 'plain.sh'), '#!/bin/sh\n');
  chmodSync(path.join(folder, 'make.sh'), 0o700);
  chmodSync(path.join(folder, 'plain.sh'), 0o600);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.for([
  ['./nowhere.sh --now', 'there is no file ./nowhere.sh'],
  ['./plain.sh', './plain.sh is not executable'],
  ['/', '/ is no file'],
  ['no-such-program-anywhere', 'no-such-program-anywhere is not found'],
  ['sh nowhere.sh', 'there is no file nowhere.sh'],
] as const)('%s cannot run: %s', async ([command, problem]) => {
  expect(await missingProgram(command, folder)).toBe(problem);
});

test.for([
  './make.sh',
  './make.sh with arguments',
  'sh plain.sh',
  'sh -c true',
  'exit 3',
  // What comes before or after may have made something.
  './make.sh | no-such-program-anywhere',
  './nowhere.sh; ./make.sh',
  '$MAKE',
  'NAME=x ./nowhere.sh',
])('%s may do something', async (command) => {
  expect(await missingProgram(command, folder)).toBeUndefined();
});

let reference: ComputeReference;
beforeAll(async () => {
  reference = await startCompute();
});
afterAll(async () => reference.close());

/** An instance of the account in that state. */
function one(state: InstanceState): string {
  const found = reference.world.accountOf('primary').instances.find((each) => each.state === state);
  if (found === undefined) throw new Error(`No instance is ${state}.`);
  return found.id;
}

/** Takes so many of the listed ones, the first of them as the one that was kept back. */
async function taken(
  provision: readonly string[],
  count: number,
  keepFirst = false,
): Promise<readonly string[]> {
  return using([...provision], keepFirst, async (take) => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await take(keepFirst && ids.length === 0));
    return ids;
  });
}

async function using<T>(
  provision: Provision,
  keepFirst: boolean,
  use: (take: (kept: boolean) => Promise<string>, disposables: Disposables) => Promise<T>,
  journal = new Journal(join(tmpdir(), 'plumbline-disposables-of-a-test')),
): Promise<T> {
  const planned = parseTarget(JSON.stringify(reference.target()), 'target.yaml');
  const { target, folder: home } = planned;
  if (!isComputeTarget(target)) throw new Error('no compute target');
  const bindings = target.bindings ?? {};
  const consent = { stop: true, terminate: true };
  const connection = connectForReading(planned);
  const disposables = new Disposables({
    provision,
    keepFirst,
    consent,
    guard: new ComputeGuard({
      terminate: undefined,
      start: undefined,
      provision: undefined,
      consent,
    }),
    journal,
    target: { name: 'reference', baseUrl: reference.baseUrl },
    bindings,
    runId: 'test',
    folder: home,
    signal: new AbortController().signal,
  });
  try {
    const api = new ComputeApi(connection.httpClient, () => {}, bindings);
    return await use(async (kept) => disposables.take(api, kept), disposables);
  } finally {
    await connection.close();
  }
}

test('listed instances that are terminated are passed over, and told of when none is left', async () => {
  const [dead, alive] = [one('TERMINATED'), one('STOPPED')];
  expect(await taken([dead, alive, dead], 1)).toEqual([alive]);
  await expect(taken([dead, alive, dead], 2)).rejects.toThrow(
    'the 3 listed disposable instances are used up, 2 of them terminated before they were needed',
  );
});

test('the one that was kept back is passed over as well', async () => {
  expect(await taken([one('TERMINATED'), one('STOPPED')], 1, true)).toEqual([one('STOPPED')]);
});

test.for([
  ['./no-such-command.sh', 0],
  // It ran, and may have made something before it failed.
  ['sh -c "no-such-command-anywhere"', 1],
  ['false', 1],
] as const)('what %s leaves in the journal', async ([command, left]) => {
  const journal = new Journal(join(mkdtempSync(join(tmpdir(), 'plumbline-')), 'journal.ndjson'));
  await using(
    { command },
    false,
    async (take, disposables) => {
      await expect(take(false)).rejects.toThrow('the provision command failed');
      expect(journal.leftovers()).toHaveLength(left);
      expect(disposables.hasLeft).toBe(left > 0);
    },
    journal,
  );
});
