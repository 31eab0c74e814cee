/** Deployments in processes of their own, so that their cost is not that of who asks them. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A program of this project, compiled. */
export const program = (name: string): string =>
  fileURLToPath(new URL(`../${name}.js`, import.meta.url));

/** The command. */
export const plumblineBin = program('../bundle/command/bin');

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
export async function serveReference(
  contract: 'compute' | 'router',
  file: string,
): Promise<Served> {
  return serveBy(plumblineBin, ['serve', contract, '--file', file]);
}
