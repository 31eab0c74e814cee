/** `plumbline allure`: has Allure build its own report of a result. */

import { messageOf } from '../../exchange/exchange.ts';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { CommandFailure, type ExitCode, exitCodes, type SetExitCode } from '../exit.ts';
import { withoutCounter } from '../../../reports/formats/allure-results.ts';
import { place, readReport } from '../files.ts';
import { writeForms } from '../write-report.ts';

/** Adds the options and the action of `plumbline allure`. */
export function register(command: Command, setExitCode: SetExitCode): void {
  command
    .argument('<FILE>', 'conformance.json of a run')
    .option('--out <DIR>', 'folder of the Allure report', 'allure-report')
    .addHelpText('after', '\nAllure is no part of plumbline: npx fetches it the first time.')
    .action(async (file: string, options: { readonly out: string }) => {
      setExitCode(await buildAllure(file, options.out));
    });
}

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
      `${out} holds no page that can be trusted: ${messageOf(error)}.`,
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
