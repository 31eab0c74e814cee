/** `plumbline allure`: a result in, the report that Allure makes of it out. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withoutCounter } from '../../reports/allure-page.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { readReport } from './read-report.ts';
import { place, writeForms } from './write-report.ts';

/** The version whose page is known. */
const ALLURE = ['npx', '--yes', 'allure@3.18.0'] as const;

/** Throws `CommandFailure` when Allure cannot be had or fails. */
export async function buildAllure(
  file: string,
  out: string,
  command: readonly [string, ...string[]] = ALLURE,
): Promise<ExitCode> {
  const { report } = readReport(file);
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
  try {
    const [results = ''] = await writeForms(report, { out: folder, reporter: ['allure'] });
    const [program, ...first] = command;
    const code = await ended(
      program,
      [...first, 'generate', results, '-o', path.resolve(out)],
      folder,
    );
    if (code !== 0) {
      throw new CommandFailure(
        `Allure ended with ${code}; what it says is above. Without a network, install it beforehand (npm install allure@3.18.0), or use --reporter allure and build the report elsewhere.`,
        exitCodes.suiteFailed,
      );
    }
    const page = path.join(out, 'index.html');
    place(page, counterFree(page, out));
    process.stdout.write(`${page}\n`);
    return exitCodes.conforms;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A page that might report home is not left behind. */
function counterFree(page: string, out: string): string {
  try {
    return withoutCounter(readFileSync(page, 'utf8'));
  } catch (error) {
    rmSync(page, { force: true });
    throw new CommandFailure(
      `${out} holds no page that can be trusted: ${error instanceof Error ? error.message : String(error)}.`,
      exitCodes.suiteFailed,
    );
  }
}

/** Its own words go to stderr, so that stdout names the page alone. */
async function ended(
  program: string,
  argv: readonly string[],
  cwd: string,
): Promise<number | string> {
  const child = spawn(program, argv, { cwd, stdio: ['ignore', process.stderr, process.stderr] });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
  });
}
