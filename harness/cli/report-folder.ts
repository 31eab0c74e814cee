/** Can a report be written there? Asked before anything is sent: a verdict that nobody can read is lost. */

import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
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
