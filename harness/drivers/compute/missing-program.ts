/** Whether a command can run at all, told without running it. */

import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A command line that is one program and its plain arguments: whatever else a shell does with a line may act. */
const PLAIN = /^[\w\s./:,@%+-]+$/u;
/** Programs whose first argument is the file that they run. */
const INTERPRETERS = /^(?:sh|bash|dash|zsh|node|python3?|ruby|perl)$/u;

/**
 * The file or program without which the command does nothing, with what is wrong with it; undefined when nothing is,
 * and for a line that may do more than run one program.
 */
export async function missingProgram(command: string, folder: string): Promise<string | undefined> {
  if (!PLAIN.test(command)) return undefined;
  const [program = '', argument] = command.trim().split(/\s+/u);
  if (program.includes('/')) return unusable(program, folder, constants.X_OK);
  if (!(await isFound(program, folder))) return `${program} is not found`;
  return INTERPRETERS.test(program) && argument !== undefined && /^[\w./]/u.test(argument)
    ? unusable(argument, folder, constants.R_OK)
    : undefined;
}

function unusable(file: string, folder: string, mode: number): string | undefined {
  const there = path.resolve(folder, file);
  if (!existsSync(there)) return `there is no file ${file}`;
  if (!statSync(there).isFile()) return `${file} is no file`;
  try {
    accessSync(there, mode);
    return undefined;
  } catch {
    return mode === constants.X_OK ? `${file} is not executable` : `${file} cannot be read`;
  }
}

/** As the shell looks for it, which has commands of its own. */
async function isFound(program: string, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', program], { cwd: folder });
    return true;
  } catch {
    return false;
  }
}
