/** Deployments and programs in processes of their own, measured. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mkdtemp } from 'node:fs/promises';
import { conformanceReport } from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';

export interface MeasuredCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Where its output goes, in files; a folder that exists. */
  readonly scratch: string;
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed, with all that it started. */
  readonly timeoutMs: number;
}

export interface Measurement {
  readonly exitCode: number | undefined;
  readonly timedOut: boolean;
  readonly wallSeconds: number;
  /** User and system time of the command and everything that it started; undefined when it was killed. */
  readonly cpuSeconds: number | undefined;
  /** Bytes; undefined where the system does not tell. */
  readonly peakBytes: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** How often memory is looked at; the system keeps the high-water mark in between. */
const LOOK_EVERY_MS = 50;

// `times` is in every POSIX shell; its second line is what the children took.
const SCRIPT = '"$@"; code=$?; times >&3; exit $code';

let counter = 0;

/** Resolves when the command has ended, however it did; rejects when it cannot be started. */
export async function measured(asked: MeasuredCommand): Promise<Measurement> {
  counter += 1;
  const file = (name: string): string => path.join(asked.scratch, `${counter}.${name}`);
  const output = [file('stdout'), file('stderr'), file('times')].map((name) => ({
    name,
    handle: openSync(name, 'w'),
  }));
  const from = performance.now();
  const child = spawn('sh', ['-c', SCRIPT, 'sh', asked.command, ...asked.args], {
    // A group of its own: what it starts ends with it.
    detached: true,
    stdio: ['ignore', ...output.map(({ handle }) => handle)],
    env: { ...process.env, ...asked.environment },
    ...(asked.folder === undefined ? {} : { cwd: asked.folder }),
  });
  const pid = child.pid ?? 0;
  const killAll = (): void => {
    process.kill(-pid, 'SIGKILL');
  };
  // An interrupted benchmark leaves nothing behind.
  process.once('exit', killAll);
  let peakBytes: number | undefined;
  const sampler = setInterval(() => {
    const size = treeMemory(pid);
    if (size !== undefined) peakBytes = Math.max(size, peakBytes ?? 0);
  }, LOOK_EVERY_MS);
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    killAll();
  }, asked.timeoutMs);
  try {
    const exitCode = await new Promise<number | undefined>((ended, failed) => {
      child.once('error', failed);
      child.once('exit', (code) => ended(code ?? undefined));
    });
    const wallSeconds = (performance.now() - from) / 1000;
    const [stdout = '', stderr = '', times = ''] = output.map(({ name }) =>
      readFileSync(name, 'utf8'),
    );
    return {
      exitCode,
      timedOut,
      wallSeconds,
      cpuSeconds: cpuOf(times),
      peakBytes,
      stdout,
      stderr,
    };
  } finally {
    clearInterval(sampler);
    clearTimeout(limit);
    process.off('exit', killAll);
    for (const { handle } of output) closeSync(handle);
  }
}

/** Seconds in the output of `times`: `0m1.5s 0m0.2s`, first of the shell, then of what it ran. */
function cpuOf(times: string): number | undefined {
  const [, children] = times.trim().split('\n');
  if (children === undefined) return undefined;
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/gu)];
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}

/** Highest resident memory so far of each process of a tree, added up over those alive, in bytes. */
export function treeMemory(root: number): number | undefined {
  const sizes = treeOf(root).flatMap((pid) => highWater(pid) ?? []);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

function treeOf(root: number): readonly number[] {
  const children = readProcess(`/proc/${root}/task/${root}/children`) ?? '';
  return [
    root,
    ...children
      .split(' ')
      .filter((pid) => pid.trim() !== '')
      .flatMap((pid) => treeOf(Number(pid))),
  ];
}

function highWater(pid: number): number | undefined {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/mu.exec(readProcess(`/proc/${pid}/status`) ?? '') ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** A process may end while it is looked at. */
function readProcess(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The command. */
export const plumblineBin = fileURLToPath(new URL('../../bundle/command/bin.js', import.meta.url));
/** The programs of the benchmarks, compiled. */
export const programs = fileURLToPath(new URL('programs.js', import.meta.url));

/** A program that serves until it is disposed of. */
export interface Served extends AsyncDisposable {
  /** Process id; undefined where there is none. */
  readonly pid: number | undefined;
  /** What it said first. */
  readonly said: string;
}

/** Milliseconds that a server may take to say that it is there. */
const START_LIMIT_MS = 60_000;

/** Starts a program that says something on stdout once it serves. Rejects when it ends before that. */
export async function serveBy(file: string, args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', kill);
      resolve();
    });
  });
  const said = await new Promise<string>((ready, failed) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      failed(new Error(`${file} did not start within ${START_LIMIT_MS} ms`));
    }, START_LIMIT_MS);
    const settle = (then: () => void): void => {
      clearTimeout(limit);
      then();
    };
    child.stdout.once('data', (text) => settle(() => ready(String(text))));
    child.once('error', (error) => settle(() => failed(error)));
    child.once('exit', (code) => settle(() => failed(new Error(`${file} ended with ${code}`))));
  });
  child.stdout.resume();
  return {
    pid: child.pid,
    said,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The reference deployment of a contract, and its target file written to `file`. */
export async function serveReference(contract: Contract, file: string): Promise<Served> {
  return serveBy(plumblineBin, ['serve', contract, '--file', file]);
}

export interface SuiteRun extends Measurement {
  readonly requests: number;
  /** Requirements that came out as failed or as an error. */
  readonly broken: number;
  /** Stated requirements that were decided, and those that were exercised. */
  readonly decided: number;
  readonly within: number;
}

/** The seed of every measured run: what is drawn is the same each time. */
const SEED = '1';
const LONGEST_RUN_MS = 180_000;

/** Runs `plumbline run` with a fixed seed. Throws when it left no result, with what it said. */
export async function suiteRun(
  scratch: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<SuiteRun> {
  const out = await mkdtemp(path.join(scratch, 'report-'));
  const run = await measured({
    command: process.execPath,
    args: [plumblineBin, 'run', ...args, '--seed', SEED, '--out', out],
    scratch,
    folder: scratch,
    environment,
    timeoutMs: LONGEST_RUN_MS,
  });
  if (run.timedOut || run.exitCode === undefined || ![0, 1, 5].includes(run.exitCode)) {
    throw new Error(
      `plumbline run ${args.join(' ')} ended with ${run.exitCode ?? 'a signal'}:\n${run.stderr}`,
    );
  }
  const report = conformanceReport.parse(
    JSON.parse(readFileSync(path.join(out, 'conformance.json'), 'utf8')),
  );
  const stated = report.requirements.filter(
    ({ strength, verdict }) => strength === 'stated' && verdict !== 'not-exercised',
  );
  return {
    ...run,
    requests: report.run.requests,
    decided: stated.filter(({ verdict }) => verdict !== 'inconclusive').length,
    within: stated.length,
    broken: report.requirements.filter(({ verdict }) => verdict === 'failed' || verdict === 'error')
      .length,
  };
}

/** Starts the reference, runs the command with further arguments, and stops the reference. */
export async function referenceRun(
  scratch: string,
  contract: Contract,
  args: readonly string[] = [],
): Promise<SuiteRun> {
  const target = path.join(await mkdtemp(path.join(scratch, 'reference-')), `${contract}.yaml`);
  await using _served = await serveReference(contract, target);
  return await suiteRun(scratch, [target, ...args]);
}
