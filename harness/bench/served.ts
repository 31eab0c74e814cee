/** Starts deployments and programs as separate processes and measures them. */

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Usage } from './preload.ts';
import { conformanceReport } from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';

/** The usage is unknown if the process was killed. */
export interface Measurement extends Usage {
  /** Undefined if a signal ended the process. */
  readonly exitCode: number | undefined;
  readonly wallSeconds: number;
  readonly stderr: string;
}

const preload = new URL('preload.js', import.meta.url).href;

/** Runs a Node program to its end, or kills it after `timeout` milliseconds. The program reports its own resource usage. */
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
    const child = execFile(process.execPath, args, options, (_error, _stdout, stderr) => {
      process.off('exit', kill);
      const wallSeconds = (performance.now() - from) / 1000;
      const took: Usage = existsSync(usage) ? JSON.parse(readFileSync(usage, 'utf8')) : {};
      done({ exitCode: child.exitCode ?? undefined, wallSeconds, ...took, stderr });
    });
    const kill = (): void => void child.kill('SIGKILL');
    // Stops the program when the benchmark is interrupted.
    process.once('exit', kill);
  });
}

export const plumblineBin = fileURLToPath(new URL('../../bundle/command/bin.js', import.meta.url));
export const programs = fileURLToPath(new URL('programs.js', import.meta.url));

/** A program that serves until it is disposed of. */
export interface Served extends AsyncDisposable {
  /** Its first output. */
  readonly said: string;
}

/** Maximum milliseconds until a server prints something. */
const START_LIMIT_MS = 60_000;

/** Starts a program and waits for its first output. Rejects if the program ends before. */
export async function serveBy(file: string, args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  const endedEarly = ended.then(([code]) => {
    throw new Error(`${file} ended with ${code}`);
  });
  const late = sleep(START_LIMIT_MS, undefined, { ref: false }).then(() => {
    kill();
    throw new Error(`${file} did not start within ${START_LIMIT_MS} ms`);
  });
  const [said] = await Promise.race([once(child.stdout, 'data'), endedEarly, late]);
  child.stdout.resume();
  return {
    said: String(said),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The reference deployment of a contract. Writes its target file to `file`. */
export async function serveReference(contract: Contract, file: string): Promise<Served> {
  return serveBy(plumblineBin, ['serve', contract, '--file', file]);
}

export interface SuiteRun extends Measurement {
  readonly requests: number;
  /** Requirements with the verdict failed or error. */
  readonly broken: number;
  /** Decided stated requirements, and those that the run could exercise. */
  readonly decided: number;
  readonly within: number;
}

/** Every measured run has the same seed, so that it draws the same values. */
const SEED = '1';
const LONGEST_RUN_MS = 180_000;

/** Runs `plumbline run` with a fixed seed. Throws with its output if it left no result. */
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

/** Starts the reference, runs the suite with further arguments, and stops the reference. */
export async function referenceRun(
  scratch: string,
  contract: Contract,
  args: readonly string[] = [],
): Promise<SuiteRun> {
  const target = path.join(await mkdtemp(path.join(scratch, 'reference-')), `${contract}.yaml`);
  await using _served = await serveReference(contract, target);
  return await suiteRun(scratch, [target, ...args]);
}
