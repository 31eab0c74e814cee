/** The journal of this folder, and whether it can be used: found out before anything is made. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Target } from '../../schemas/target.ts';
import { contractOf } from '../contracts.ts';
import { Journal } from '../drivers/journal.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { unwritable } from './report-folder.ts';

const SHOWN = path.join('.plumbline', 'journal.ndjson');

/** Where runs in this folder write down what they make. */
export function journalPath(): string {
  return path.resolve(SHOWN);
}

/** The journal to read, or to write as well. Throws `CommandFailure` when it cannot be. */
export function openJournal(isWritten = false): Journal {
  const file = journalPath();
  const problem =
    unreadable(file) ?? (isWritten && existsSync(file) ? unwritableJournal(file) : undefined);
  if (problem === undefined) return new Journal(file);
  throw new CommandFailure(
    `${SHOWN}: ${problem}. Runs write down there what they make: make it writable, or move away what stands in its place.`,
    exitCodes.usage,
  );
}

/** Throws `CommandFailure` when instances would be made that nobody could find again. */
export function requireJournal(targets: readonly Target[]): void {
  if (!targets.some((one) => contractOf(one.contract).instances?.areMade(one))) return;
  const file = journalPath();
  const problem = unreadable(file) ?? unwritableJournal(file);
  if (problem === undefined) return;
  throw new CommandFailure(
    `${SHOWN}: ${problem}. What a run makes is written down there first, so that it can be removed even after a crash. Run in a folder in which it can be written.`,
    exitCodes.usage,
  );
}

function unreadable(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  if (statSync(file).isDirectory()) return 'it is a folder';
  return forbidden(file, constants.R_OK) ? 'it cannot be read' : undefined;
}

function unwritableJournal(file: string): string | undefined {
  if (!existsSync(file)) return unwritable(path.dirname(file));
  return forbidden(file, constants.W_OK) ? 'it cannot be written' : undefined;
}

function forbidden(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return false;
  } catch {
    return true;
  }
}
