/** Runs the command as a user does: to its end, or as an observation in front of a deployment until it is stopped. */

import { execFile, type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConformanceReport, conformanceReport } from '../../schemas/report.ts';
import type { LiveTraffic } from '../../schemas/live.ts';

/** The compiled command. */
export const bin = fileURLToPath(new URL('../../dist/bundle/command/bin.js', import.meta.url));

/** The exit code and output of a program. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both outputs. */
  readonly told: string;
}

/** Runs a program to its end, with the environment of CI. */
export async function ended(
  program: string,
  args: readonly string[],
  cwd = folderWith(),
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { ...process.env, CI: 'true', NO_COLOR: '1', ...environment };
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 240_000 };
  return new Promise((done) => {
    const child = execFile(program, args, options, (_error, stdout, stderr) => {
      done({ code: child.exitCode ?? -1, stdout, stderr, told: stdout + stderr });
    });
  });
}

export interface Finished extends Ended {
  readonly folder: string;
  report(): ConformanceReport;
}

/** A new folder with the given files. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-self-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

/** A new folder with the given files and the command, and a `PATH` on which that folder comes first. */
export function folderWithCommand(files: Readonly<Record<string, string>>) {
  const script = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  const folder = folderWith({ ...files, plumbline: script });
  chmodSync(path.join(folder, 'plumbline'), 0o755);
  return { folder, variables: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } };
}

/** A new folder with a deployment's `target.yaml`. */
export function folderFor(deployment: { target(): object }): string {
  return folderWith({ 'target.yaml': JSON.stringify(deployment.target()) });
}

/** Runs `plumbline ARGS` in the folder to its end. */
export async function plumbline(
  args: readonly string[],
  folder = folderWith(),
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const finished = await ended(process.execPath, [bin, ...args], folder, environment);
  return { ...finished, folder, report: () => readReport(folder) };
}

/** Reads the report of a run from its folder; `out` is the report folder within it. */
export function readReport(folder: string, out = 'conformance-report'): ConformanceReport {
  return conformanceReport.parse(
    JSON.parse(readFileSync(path.join(folder, out, 'conformance.json'), 'utf8')),
  );
}

export interface Observing {
  readonly origin: string;
  readonly page: string;
  readonly folder: string;
  readonly live: () => Promise<LiveTraffic>;
  /** Stops it and reads its report. */
  readonly end: () => Promise<{
    readonly code: number;
    readonly report: ConformanceReport;
    readonly output: string;
  }>;
  /** Kills it in any state, for a failed test. */
  readonly kill: () => void;
}

/** Starts an observation on free ports, and resolves once it listens. */
export async function observing(
  target: object,
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Observing> {
  const folder = folderWith({ 'target.yaml': JSON.stringify(target) });
  const child = spawn(
    process.execPath,
    [bin, 'observe', 'target.yaml', '--listen', '127.0.0.1:0', '--page', '127.0.0.1:0', ...options],
    { cwd: folder, env: { ...process.env, CI: 'true', NO_COLOR: '1', ...environment } },
  );
  let output = '';
  const exited = new Promise<number>((done) => {
    child.once('exit', (code) => done(code ?? -1));
  });
  const origin = await new Promise<string>((resolve, reject) => {
    const take = (text: unknown): void => {
      output += String(text);
      const found = /send to (http:\/\/[^/\s]+)[\s\S]*page is at (\S+)/u.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    void exited.then((code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
  const page = /page is at (\S+)/u.exec(output)?.[1] ?? '';
  return {
    origin,
    page,
    folder,
    live: async () => {
      const live: LiveTraffic = JSON.parse(await (await fetch(new URL('live.json', page))).text());
      return live;
    },
    end: async () => {
      child.kill('SIGINT');
      return { code: await exited, report: readReport(folder, 'conformance-observed'), output };
    },
    kill: () => end(child),
  };
}

function end(child: ChildProcess): void {
  if (child.exitCode === null) child.kill('SIGKILL');
}
