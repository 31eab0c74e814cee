/** `plumbline allure`: lets Allure build its own report from a result. */

import { messageOf } from '../../exchange/exchange.ts';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import {
  agrees,
  CommandFailure,
  ended,
  type ExitCode,
  exitCodes,
  refuse,
  type Ends,
} from '../exit.ts';
import { withoutCounter } from '../../../reports/formats/allure-results.ts';
import { inTemporaryFolder, readReport, writeWhole } from '../files.ts';
import { writeForms } from '../write-report.ts';

/** The version whose page format is known. */
const PACKAGE = 'allure@3.18.0';

/** Adds the options and the action of `plumbline allure`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<FILE>', 'conformance.json of a run')
    .option('--out <DIR>', 'folder of the Allure report', 'allure-report')
    .option('--yes', 'let npx download Allure without asking')
    .addHelpText(
      'after',
      `\nAllure is no part of plumbline. Where ${PACKAGE} is not installed, npx downloads it, once you agree.`,
    )
    .action(
      ends(async (file: string, { out, yes }: { readonly out: string; readonly yes?: boolean }) =>
        buildAllure(file, out, await allureCommand(yes === true)),
      ),
    );
}

/** The command line that starts Allure. Throws `CommandFailure` if npx would have to download it without consent. */
export async function allureCommand(
  isAgreed: boolean,
  npx = 'npx',
): Promise<readonly [string, ...string[]]> {
  // After `--`, since npx would read `--version` itself.
  const installed = ['--no', '--', PACKAGE] as const;
  if ((await ended(npx, [...installed, '--version'], 'ignore')) === 0) return [npx, ...installed];
  if (isAgreed || (await agrees(`Download ${PACKAGE} from the npm registry?`))) {
    return [npx, '--yes', '--', PACKAGE];
  }
  return refuse(
    `${PACKAGE} is not installed here, and nothing was downloaded. Add --yes to let npx download it, install it (npm install --save-dev ${PACKAGE}), or use --reporter allure and build the report elsewhere.`,
  );
}

/** Throws `CommandFailure` if Allure is not available or fails. */
export async function buildAllure(
  file: string,
  out: string,
  [program, ...before]: readonly [string, ...string[]],
): Promise<ExitCode> {
  const { report } = readReport(file);
  return inTemporaryFolder(async (folder) => {
    const [results = ''] = await writeForms(report, { out: folder, reporter: ['allure'] });
    // Runs in an empty folder, so that it finds no Allure configuration.
    const given = ['-o', path.resolve(out), '--cwd', folder];
    // Allure's output goes to stderr, so that stdout has only the path of the page.
    const code = await ended(
      program,
      [...before, 'generate', results, ...given],
      ['ignore', process.stderr, process.stderr],
    );
    if (code !== 0) {
      throw new CommandFailure(
        `Allure ended with ${code}; what it says is above. Without a network, install it beforehand (npm install --save-dev ${PACKAGE}), or use --reporter allure and build the report elsewhere.`,
        exitCodes.suiteFailed,
      );
    }
    const page = path.join(out, 'index.html');
    writeWhole(page, counterFree(page, out));
    process.stdout.write(`${page}\n`);
    return exitCodes.conforms;
  });
}

/** Reads the page without Allure's visitor counter. Removes a page that may still have one. */
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
