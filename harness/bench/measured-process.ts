/** Runs a command in a process of its own and measures it from outside: wall, CPU, peak memory. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

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
  // Who is interrupted leaves nothing behind.
  process.once('exit', killAll);
  let peakBytes: number | undefined;
  const look = setInterval(() => {
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
    clearInterval(look);
    clearTimeout(limit);
    process.off('exit', killAll);
    for (const { handle } of output) closeSync(handle);
  }
}

/** Seconds in the output of `times`: `0m1.5s 0m0.2s`, first of the shell, then of what it ran. */
export function cpuOf(times: string): number | undefined {
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
