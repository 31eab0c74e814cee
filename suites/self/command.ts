/** The command as a user runs it: a process of its own, in a folder of its own. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConformanceReport, conformanceReport } from '../../schemas/report.ts';

/** The compiled command. */
export const bin = fileURLToPath(new URL('../../dist/bundle/command/bin.js', import.meta.url));

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly folder: string;
  /** Reads the report that the run left. */
  report(): ConformanceReport;
}

/** A fresh folder with the given files in it. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-self-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

/** A fresh folder with a deployment's `target.yaml`. */
export function folderFor(deployment: { target(): object }): string {
  return folderWith({ 'target.yaml': JSON.stringify(deployment.target()) });
}

/** Runs `plumbline ARGS` in the folder to its end. */
export async function plumbline(
  args: readonly string[],
  folder = folderWith(),
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [bin, ...args],
      {
        cwd: folder,
        env: { ...process.env, CI: 'true', NO_COLOR: '1', ...environment },
        maxBuffer: 64 * 1024 * 1024,
        timeout: 240_000,
      },
      (_error, stdout, stderr) => {
        done({
          code: child.exitCode ?? -1,
          stdout,
          stderr,
          folder,
          report: () => readReport(folder),
        });
      },
    );
  });
}

/** Reads the report that a run left in its folder, under the usual name or another. */
export function readReport(folder: string, out = 'conformance-report'): ConformanceReport {
  return conformanceReport.parse(
    JSON.parse(readFileSync(path.join(folder, out, 'conformance.json'), 'utf8')),
  );
}
