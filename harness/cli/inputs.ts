/** What commands read: target files, results, declared deviations, and the suites themselves. */

import { readFileSync } from 'node:fs';
import type { PlannedTarget } from '../runner/selection.ts';
import { loadTarget } from '../target/load.ts';
import { revealedKeys } from '../target/keyring.ts';
import type { Section } from '../runner/case.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { reportFromJson, UnreadableReport } from '../../reports/json.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import type { Deviation } from '../../schemas/deviations.ts';
import { loadDeviations } from '../target/deviations.ts';
import { closest } from '../target/suggestion.ts';

/** Throws `TargetFileError`. */
export async function loadPlanned(file: string): Promise<PlannedTarget> {
  const { target, keys, folder } = await loadTarget(file);
  return {
    target,
    secrets: revealedKeys(keys),
    folder,
  };
}

/** Every section of both contracts. */
export async function loadSections(): Promise<readonly Section<never>[]> {
  // Compiled, and in the sources, where our own tests run.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const path = new URL(`../../suites/all.${extension}`, import.meta.url).href;
  const suites: { readonly sections: readonly Section<never>[] } = await import(path);
  return suites.sections;
}

export interface ReadReport {
  /** The file as the user named it. */
  readonly name: string;
  readonly text: string;
  readonly report: ConformanceReport;
}

/** Reads a `conformance.json`. Throws `CommandFailure` when there is none, or when it is no report. */
export function readReport(file: string): ReadReport {
  const text = readText(file, 'Name the conformance.json of a run; plumbline run writes it.');
  try {
    return { name: file, text, report: reportFromJson(text, file) };
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error;
    throw new CommandFailure(error.message, exitCodes.usage);
  }
}

/** Reads a text file; `advice` tells what to name instead. Throws `CommandFailure`. */
export function readText(file: string, advice: string): string {
  try {
    // A byte that is no UTF-8 must not pass as another one: the text stands for the file in digests.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const problem =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'this is a folder'
          : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
            ? 'it is not a text in UTF-8'
            : `it cannot be read (${String(code ?? error)})`;
    throw new CommandFailure(`${file}: ${problem}. ${advice}`, exitCodes.usage);
  }
}

/** Reads the file of `--deviations`, if one was given. Throws `TargetFileError`. */
export async function knownDeviations(file: string | undefined): Promise<readonly Deviation[]> {
  return file === undefined ? [] : loadDeviations(file);
}

/** Warns of entries for targets that are not judged: one file may serve many runs, so they are no mistake yet. */
export function warnOfStrangers(
  file: string | undefined,
  deviations: readonly Deviation[],
  targets: readonly string[],
): void {
  for (const { requirement, target } of deviations) {
    if (target === undefined || targets.includes(target)) continue;
    const near = closest(target, targets);
    const advice =
      near === undefined ? `This run judges ${targets.join(', ')}.` : `Did you mean ${near}?`;
    process.stderr.write(
      `${file}: the deviation from ${requirement} is for the target ${target}, which this run does not judge. ${advice}\n`,
    );
  }
}
