/** Where commands write: asked before anything is sent, for a verdict that nobody can read is lost. */

import { messageOf } from '../exchange/exchange.ts';
import { existsSync, mkdtempSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, exitCodes } from './exit.ts';

/**
 * Throws `CommandFailure` when the folder of `--out` is none and cannot become one. Nothing stays behind: a run
 * that never begins leaves no empty folder.
 */
export function requireReportFolder(out: string): void {
  const problem = out.trim() === '' ? 'it names nothing' : unwritable(path.resolve(out));
  if (problem === undefined) return;
  throw new CommandFailure(
    `--out ${out === '' ? "''" : out}: ${problem}. Name a folder for the report that can be written.`,
    exitCodes.usage,
  );
}

/**
 * Why nothing can be written in a folder that may yet have to be made; undefined when it can. Tries the nearest folder
 * that is there: permissions alone tell too little, of a read-only disk for one.
 */
export function unwritable(folder: string): string | undefined {
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
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return `nothing can be written in ${nearest} (${code})`;
  }
}

/** A reader never sees half a file: it is written beside and then put in place. */
export function place(file: string, text: string): void {
  const beside = `${file}.${process.pid}.part`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}

/** Writes a file that an option names. Throws `CommandFailure` when it cannot be written. */
export function writeOrFail(file: string, text: string, option = '--out'): void {
  try {
    place(file, text);
  } catch (error) {
    throw new CommandFailure(
      `${file} could not be written: ${messageOf(error)}. Name another file with ${option}.`,
      exitCodes.usage,
    );
  }
}
