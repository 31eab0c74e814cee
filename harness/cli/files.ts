/** The files of commands: target files, results, deviations, the journal, the report folder. */

import { codeOrMessage } from '../exchange/exchange.ts';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { refuse } from './exit.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import { contractOf } from '../contracts/index.ts';
import { Journal, journalIn } from '../drivers/journal.ts';
import type { Section } from '../runner/case.ts';
import { caseName } from '../runner/recorder.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { reportFromJson } from '../../reports/formats/json.ts';
import type { Deviation } from '../../schemas/deviations.ts';
import { meant } from '../target/known-keys.ts';
import { readTextFile } from '../target/problem.ts';
import { packageFolder } from './version.ts';

/** The signature file beside a result. */
export const SIGNATURE = 'attestation.json';

/** Creates nothing. Throws `CommandFailure` if `--out` cannot become a folder, or must not replace a signed result. */
export function requireReportFolder(out: string, mayReplaceSigned = false): void {
  requireFolder(out, 'the report');
  if (!mayReplaceSigned && existsSync(path.join(out, SIGNATURE))) {
    refuse(
      `${out} holds a result that is signed (${SIGNATURE}): a new one would make the signature worthless. Name another folder with --out, or add --force.`,
    );
  }
}

/** Throws `CommandFailure` if `--out`, the folder for `what`, does not exist and cannot be created. */
export function requireFolder(out: string, what: string): void {
  const problem = out.trim() === '' ? 'it names nothing' : unwritable(path.resolve(out));
  if (problem === undefined) return;
  refuse(
    `--out ${out === '' ? "''" : out}: ${problem}. Name a folder for ${what} that can be written.`,
  );
}

/** Why nothing can be written to a folder, or undefined. Permissions do not show a read-only disk, so it tries. */
function unwritable(folder: string): string | undefined {
  let nearest = folder;
  while (!existsSync(nearest)) {
    const above = path.dirname(nearest);
    if (above === nearest) return 'there is no such place';
    nearest = above;
  }
  if (!statSync(nearest).isDirectory()) {
    return nearest === folder ? 'it is a file, and no folder' : `${nearest} is no folder`;
  }
  try {
    rmdirSync(mkdtempSync(path.join(nearest, '.plumbline-')));
    return undefined;
  } catch (error) {
    return `nothing can be written in ${nearest} (${codeOrMessage(error)})`;
  }
}

/** Writes a temporary file and renames it, so that a reader never sees half a file. */
export function writeWhole(file: string, text: string): void {
  const beside = `${file}.${process.pid}.part`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}

/** Writes a file that an option names. Throws `CommandFailure` if that fails. */
export function writeOrFail(file: string, text: string, option = '--out'): void {
  try {
    writeWhole(file, text);
  } catch (error) {
    refuse(
      `${file} could not be written (${codeOrMessage(error)}). Name another file with ${option}.`,
    );
  }
}

/** Path of the bundled command. */
export const COMMAND = path.join(packageFolder, 'dist/bundle/command/bin.js');

/** Runs `act` with an empty folder and removes the folder. */
export async function inTemporaryFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens the journal for reading, or also for writing. Throws `CommandFailure` if that is not possible. */
export function openJournal(file: string, isWritten = false): Journal {
  const problem = journalProblem(file, isWritten && existsSync(file));
  if (problem === undefined) return new Journal(file);
  return refuse(
    `${shown(file)}: ${problem}. Runs write down there what they make: make it writable, or move away what stands in its place.`,
  );
}

/** Throws `CommandFailure` if a run could not journal its instances. Creates the folder, a sign for later sweeps. */
export function requireJournal(targets: readonly PlannedTarget[], journal?: string): void {
  const making = targets.filter(({ target }) =>
    contractOf(target.contract).instances?.areMade(target),
  );
  for (const file of new Set(making.map(({ folder }) => journal ?? journalIn(folder)))) {
    const problem = journalProblem(file, true);
    if (problem === undefined) mkdirSync(path.dirname(file), { recursive: true });
    else {
      refuse(
        `${shown(file)}: ${problem}. What a run makes is written down there first, so that it can be removed even after a crash. Name a file that can be written with --journal.`,
      );
    }
  }
}

/** A path relative to the working directory, if it is below it. */
export function shown(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}

/** Why a journal cannot be read or, with `isWritten`, not be written either. Undefined if it can. */
function journalProblem(file: string, isWritten: boolean): string | undefined {
  if (!existsSync(file)) return isWritten ? unwritable(path.dirname(file)) : undefined;
  if (statSync(file).isDirectory()) return 'it is a folder';
  if (forbidden(file, constants.R_OK)) return 'it cannot be read';
  return isWritten && forbidden(file, constants.W_OK) ? 'it cannot be written' : undefined;
}

function forbidden(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return false;
  } catch {
    return true;
  }
}

/** Every section of both contracts. */
export async function loadSections(): Promise<readonly Section<never>[]> {
  // Our own tests run from the sources.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const suitesFile = new URL(`../../suites/all.${extension}`, import.meta.url).href;
  const suites: { readonly sections: readonly Section<never>[] } = await import(suitesFile);
  return suites.sections;
}

/** Every case with its name in reports. */
export function namedCases(sections: readonly Section<never>[]) {
  return sections.flatMap(({ contract, name, cases }) =>
    cases.map((one) => ({ name: caseName(contract, name, one.title), one })),
  );
}

export interface ReadReport {
  /** The file name as the user gave it. */
  readonly name: string;
  readonly text: string;
  readonly report: ConformanceReport;
}

/** Reads a `conformance.json`. Throws `CommandFailure` if there is none, and `UnreadableReport`. */
export function readReport(file: string): ReadReport {
  const text = readText(file, 'Name the conformance.json of a run; plumbline run writes it.');
  return { name: file, text, report: reportFromJson(text, file) };
}

/** Reads a text file. `advice` tells the user what to name instead. Throws `CommandFailure`. */
export function readText(file: string, advice: string): string {
  const read = readTextFile(file);
  if ('text' in read) return read.text;
  return refuse(`${file}: ${read.problem}. ${advice}`);
}

/** Warns about deviations for other targets. This is not an error, since one file may serve many runs. */
export function warnOfStrangers(
  file: string | undefined,
  deviations: readonly Deviation[],
  targets: readonly string[],
): void {
  for (const { requirement, target } of deviations) {
    if (target === undefined || targets.includes(target)) continue;
    process.stderr.write(
      `${file}: the deviation from ${requirement} is for the target ${target}, which this run does not judge. ${meant(target, targets, `This run judges ${targets.join(', ')}.`)}\n`,
    );
  }
}
