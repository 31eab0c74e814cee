/**
 * Runs that are killed at random moments. After `plumbline sweep` none of their instances runs, no other instance was
 * changed, and a handled signal leaves a valid report that is marked partial.
 * `PLUMBLINE_MOMENTS=50` tries more moments, `PLUMBLINE_SEED` other ones.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { createRandom } from './random.ts';
import { bin, folderFor, plumbline, readReport } from './command.ts';

vi.setConfig({ testTimeout: 240_000 });

const SIGNALS = ['SIGINT', 'SIGKILL', 'SIGTERM'] as const;
/** The approximate number of requests of a run of the sections below, from which moments are drawn. */
const MAX_REQUESTS = 900;
/** The approximate duration of a sweep in milliseconds, including the start of the command. */
const MAX_SWEEP_MS = 900;
const moments = Number(process.env['PLUMBLINE_MOMENTS'] ?? 3);
const random = createRandom(Number(process.env['PLUMBLINE_SEED'] ?? 1));

const kills = Array.from({ length: moments }, (_, at) => ({
  signal: SIGNALS[at % SIGNALS.length] ?? 'SIGINT',
  // The cube prefers early moments, when instances are created.
  requests: 1 + Math.floor(MAX_REQUESTS * random() ** 3),
  // Every other sweep is killed too, and then repeated.
  sweptForMs: at % 2 === 1 ? Math.floor(MAX_SWEEP_MS * random()) : undefined,
}));

const reference = await startCompute();
afterAll(async () => reference.close());

/** Instances that runs created and nothing has removed. */
const running = () =>
  reference.world
    .instances()
    .filter(({ origin, state }) => origin === 'provision' && !state.startsWith('TERMINAT'));

test.for(kills)('$signal after $requests requests', async (kill) => {
  const folder = folderFor(reference);
  const { code, signal } = await runUntil(folder, kill);
  // A signal at the very end may find a finished report.
  const told =
    signal === 'SIGKILL' || code === 0 || (code === 130 && readReport(folder).run.partial);
  expect({ told, code, signal }).toMatchObject({ told: true });

  if (kill.sweptForMs !== undefined) await sweepUntil(folder, kill.sweptForMs);
  const sweep = await plumbline(['sweep', 'target.yaml'], folder);
  expect({ code: sweep.code, said: sweep.stdout }).toMatchObject({ code: 0 });
  expect(running()).toEqual([]);
  expect(reference.world.touchedBystanders()).toEqual([]);
  expect(existsSync(path.join(folder, '.plumbline', 'journal.ndjson'))).toBe(false);
});

async function sweepUntil(folder: string, ms: number): Promise<void> {
  const child = spawn(process.execPath, [bin, 'sweep', 'target.yaml'], {
    cwd: folder,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await pause(ms);
  child.kill('SIGKILL');
  await exited;
}

test('what a killed run made is found by its name where the journal is gone', async () => {
  const folder = folderFor(reference);
  await runUntil(folder, { signal: 'SIGKILL', requests: 150 });
  const left = running().length;
  rmSync(path.join(folder, '.plumbline'), { recursive: true });
  const codeOf = async (...options: string[]): Promise<number> =>
    (await plumbline(['sweep', 'target.yaml', ...options], folder)).code;
  expect(await codeOf()).toBe(3);
  expect(await codeOf('--search')).toBe(left > 0 ? 2 : 0);
  expect(running()).toHaveLength(left);
  expect(await codeOf('--search', '--yes')).toBe(0);
  expect(running()).toEqual([]);
  expect(reference.world.touchedBystanders()).toEqual([]);
});

test('a journal that somebody forged removes nothing that no run made', async () => {
  const folder = folderFor(reference);
  const bystanders = reference.world.instances().filter(({ origin }) => origin !== 'provision');
  const [one, other, third] = bystanders;
  const { name: target, baseUrl } = reference.target();
  const at = '2020-01-01T00:00:00Z';
  const asked = (name = '') => ({ kind: 'asked', target, baseUrl, name, at });
  const ours = 'plumbline-0a1b2c3d-1-0a1b2c3d';
  const lines = [
    asked(ours),
    { kind: 'made', name: ours, id: one?.id },
    asked(other?.name),
    { kind: 'made', name: other?.name, id: other?.id },
    asked(third?.name),
  ];
  mkdirSync(path.join(folder, '.plumbline'));
  const journal = path.join(folder, '.plumbline', 'journal.ndjson');
  writeFileSync(journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, stdout } = await plumbline(['sweep', 'target.yaml'], folder);
  expect({ code, stdout }).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/STAYS: (?:the target calls it|no run gives)/u),
  });
  expect(stdout.match(/STAYS/gu)).toHaveLength(3);
  expect(reference.world.touchedBystanders()).toEqual([]);
});

test('a run whose thread is out of memory leaves what it knew', async () => {
  const folder = folderFor(reference);
  const fill = `import { isMainThread } from 'node:worker_threads';
    const kept = [];
    const more = () => { for (let at = 0; at < 64; at += 1) kept.push(Array.from({ length: 100_000 }, () => ({}))); setImmediate(more); };
    if (!isMainThread) setTimeout(more, 4_000);`;
  const ended = await plumbline(['run', 'target.yaml'], folder, {
    NODE_OPTIONS: `--max-old-space-size=128 --import=data:text/javascript,${encodeURIComponent(fill)}`,
  });
  expect(ended.code, ended.stderr).toBe(4);
  const { run, requirements, troubles } = readReport(folder);
  expect(run.partial).toBe(true);
  expect(troubles).toMatchObject([{ message: expect.stringMatching(/broke off before its end/u) }]);
  expect(requirements.some(({ verdict }) => verdict === 'passed')).toBe(true);
  expect((await plumbline(['sweep', 'target.yaml'], folder)).code).toBe(0);
});

test('an interrupt before anything was asked leaves a partial report too', async () => {
  const folder = folderFor(reference);
  const { code } = await runUntil(folder, { signal: 'SIGINT', requests: 1 });
  expect(code).toBe(130);
  const { run, requirements } = readReport(folder);
  expect(run.partial).toBe(true);
  expect(requirements.filter(({ verdict }) => verdict === 'error')).toEqual([]);
});

/** Runs the sections that create instances, and sends the signal after `kill.requests` requests. */
async function runUntil(
  folder: string,
  kill: { readonly signal: NodeJS.Signals; readonly requests: number },
): Promise<{ readonly code: unknown; readonly signal: unknown }> {
  const from = reference.world.requests;
  const only = ['states', 'stop-instance', 'terminate-instance', 'start-instance'];
  const child = spawn(
    process.execPath,
    [bin, 'run', 'target.yaml', ...only.flatMap((section) => ['--only', `compute.${section}`])],
    { cwd: folder, env: { ...process.env, CI: 'true' }, stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  const isUnderWay = (): boolean => child.exitCode === null && child.signalCode === null;
  while (isUnderWay() && reference.world.requests - from < kill.requests) await pause(2);
  child.kill(kill.signal);
  const [code, signal]: (string | number | null)[] = await exited;
  return { code, signal };
}
