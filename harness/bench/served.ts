/** Deployments in processes of their own, so that their cost is not that of who asks them, and measured runs against them. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { conformanceReport } from '../../schemas/report.ts';
import { measured, type Measurement } from './measured-process.ts';
import type { Contract } from '../../schemas/requirement.ts';

/** The command. */
export const plumblineBin = fileURLToPath(new URL('../../bundle/command/bin.js', import.meta.url));
/** The programs of the benchmarks, compiled. */
export const programs = fileURLToPath(new URL('programs.js', import.meta.url));

export interface Served {
  /** Process id; undefined where there is none. */
  readonly pid: number | undefined;
  /** What it said first. */
  readonly said: string;
  stop(): Promise<void>;
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
    stop: async () => {
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
  if (run.timedOut || run.exitCode === undefined || run.exitCode > 1) {
    throw new Error(
      `plumbline run ${args.join(' ')} ended with ${run.exitCode ?? 'a signal'}:\n${run.stderr}`,
    );
  }
  const report = conformanceReport.parse(
    JSON.parse(readFileSync(path.join(out, 'conformance.json'), 'utf8')),
  );
  return {
    ...run,
    requests: report.run.requests,
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
  const served = await serveReference(contract, target);
  try {
    return await suiteRun(scratch, [target, ...args]);
  } finally {
    await served.stop();
  }
}
