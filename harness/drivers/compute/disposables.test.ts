import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Disposables } from './disposables.ts';
import { isComputeTarget, type Provision } from '../../../schemas/compute/target.ts';
import { ComputeGuard } from '../../exchange/compute-guard.ts';
import type { InstanceState } from '../../reference/compute/model.ts';
import { startCompute } from '../../reference/compute/start.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { Journal } from '../journal.ts';
import { conditionVariants } from '../../reference/compute/variants/conditions.ts';
import { connect } from '../connection.ts';
import { ComputeApi, computeRepeat } from './api.ts';

const reference = await startCompute();
afterAll(async () => reference.close());

const freshJournal = (): Journal =>
  new Journal(join(mkdtempSync(join(tmpdir(), 'plumbline-')), 'journal.ndjson'));

/** An instance of the account in this state. */
function one(state: InstanceState): string {
  const found = reference.world.accountOf('primary').instances.find((each) => each.state === state);
  if (found === undefined) throw new Error(`No instance is ${state}.`);
  return found.id;
}

/** Takes `count` of the listed instances, and with `keepFirst` the kept one first. */
async function taken(provision: string[], count: number, keepFirst = false): Promise<string[]> {
  const use = async (take: Take): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await take({ kept: keepFirst && ids.length === 0 }));
    return ids;
  };
  return using(provision, use, { keepFirst });
}

type Take = (options?: Parameters<Disposables['take']>[1]) => Promise<string>;

async function using<T>(
  provision: Provision,
  use: (take: Take, disposables: Disposables, api: ComputeApi) => Promise<T>,
  { keepFirst = false, journal = freshJournal(), at = reference } = {},
): Promise<T> {
  const planned = parseTarget(JSON.stringify(at.target()), 'target.yaml');
  const { target, folder: home } = planned;
  if (!isComputeTarget(target)) throw new Error('no compute target');
  const bindings = target.bindings ?? {};
  const consent = { stop: true, terminate: true };
  const guard = new ComputeGuard({
    terminate: bindings.terminate,
    start: undefined,
    provision: Array.isArray(provision) ? undefined : 'POST /_provision',
    consent,
  });
  const connection = connect(planned, {
    check: (method, route) => guard.check(method, route),
    repeat: computeRepeat(bindings),
  });
  const disposables = new Disposables({
    provision,
    keepFirst,
    consent,
    guard,
    journal,
    target: { name: 'reference', baseUrl: at.baseUrl },
    bindings,
    runId: 'test',
    folder: home,
    signal: new AbortController().signal,
  });
  try {
    const api = new ComputeApi(connection.httpClient, () => {}, bindings);
    return await use(async (options) => disposables.take(api, options), disposables, api);
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
  // The command ran, and may have made something before it failed.
  ['sh -c "no-such-command-anywhere"', 1],
  ['false', 1],
] as const)('what %s leaves in the journal', async ([command, left]) => {
  const journal = freshJournal();
  await using(
    { command },
    async (take, disposables) => {
      await expect(take()).rejects.toThrow('the provision command failed');
      expect(journal.leftovers()).toHaveLength(left);
      expect(disposables.hasLeft).toBe(left > 0);
    },
    { journal },
  );
});

test('what a case gave back makes room where the account may have no more', async () => {
  const few = conditionVariants.find(({ name }) => name === 'few-instances-at-once');
  const at = await startCompute(few?.options());
  const journal = freshJournal();
  const back: (() => void)[] = [];
  await using(
    { request: 'POST /_provision', id: '$.id' },
    async (take) => {
      const first = await take({ atEnd: (giveBack) => back.push(giveBack) });
      for (let n = 1; n < 6; n += 1) await take();
      const seventh = take();
      for (const giveBack of back) giveBack();
      expect(await seventh).not.toBe(first);
      expect(at.world.instance(first)?.state).toBe('TERMINATED');
      // The refused instance was never made, and the one that made room is gone.
      expect(journal.leftovers()).toHaveLength(6);
    },
    { journal, at },
  );
  await at.close();
});

test.for([
  ['is terminated', undefined, 0],
  ['still runs', () => ({ terminateOutcome: () => 'conflict' as const }), 1],
] as const)('an instance whose terminate is a conflict and that %s', async ([, patch, left]) => {
  const at = await startCompute(patch === undefined ? {} : { patch });
  const journal = freshJournal();
  await using(
    { request: 'POST /_provision', id: '$.id' },
    async (take, disposables, api) => {
      const id = await take();
      if (patch === undefined) await api.terminate(id);
      await expect.poll(() => at.world.instance(id)?.state).toMatch(/^(?:TERMINATED|RUNNING)$/u);
      await disposables.sweep(api);
      expect(journal.leftovers()).toHaveLength(left);
    },
    { journal, at },
  );
  await at.close();
});
