/** Deployments and programs in processes of their own, measured. */

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Usage } from './preload.ts';
import { conformanceReport } from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';

export interface Measurement {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly wallSeconds: number;
  /** User and system time; undefined when it was killed. */
  readonly cpuSeconds?: number;
  /** Bytes of memory at its highest; undefined when it was killed. */
  readonly peakBytes?: number;
  readonly stdout: string;
  readonly stderr: string;
}

const preload = new URL('preload.js', import.meta.url).href;

/** Runs a program of Node to its end, or kills it after so many milliseconds; it tells itself what it took. */
export async function measured(
  args: readonly string[],
  scratch: string,
  timeout: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Measurement> {
  const usage = path.join(scratch, `${randomUUID()}.json`);
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=${preload}`,
    PLUMBLINE_BENCH_USAGE: usage,
    ...environment,
  };
  const options = {
    cwd: scratch,
    env,
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: Infinity,
  } as const;
  const from = performance.now();
  return new Promise((done) => {
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) => {
      process.off('exit', kill);
      const wallSeconds = (performance.now() - from) / 1000;
      const took: Usage = existsSync(usage) ? JSON.parse(readFileSync(usage, 'utf8')) : {};
      done({ exitCode: child.exitCode ?? undefined, wallSeconds, ...took, stdout, stderr });
    });
    const kill = (): void => void child.kill('SIGKILL');
    // An interrupted benchmark leaves nothing behind.
    process.once('exit', kill);
  });
}

/** Highest resident memory of a process so far, in bytes; undefined where the system does not tell. */
export function peakOf(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/mu.exec(status) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
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
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', kill);
      resolve();
    });
  });
  const said = await new Promise<string>((ready, failed) => {
    const limit = setTimeout(() => {
      kill();
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
  const asked = [plumblineBin, 'run', ...args, '--seed', SEED, '--out', out];
  const run = await measured(asked, scratch, LONGEST_RUN_MS, environment);
  if (run.exitCode === undefined || ![0, 1, 5].includes(run.exitCode)) {
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
