/** Commands of the target file that bring a condition about. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';

export type HookName = keyof NonNullable<RouterTarget['hooks']>;

const HOOK_TIMEOUT_MS = 60_000;
const run = promisify(execFile);

/**
 * Runs a hook in the folder of the target file and waits for its end. Throws `NotExercised` when the file has no such
 * hook, `Inconclusive` when the command fails or takes too long.
 */
export async function runHook(
  target: Pick<RouterTarget, 'hooks'>,
  name: HookName,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const command = target.hooks?.[name];
  if (command === undefined) {
    throw new NotExercised(`needs the hook ${name}`, `hooks: { ${name}: ./${name}.sh }`);
  }
  try {
    await run('/bin/sh', ['-c', command], { cwd: folder, timeout: HOOK_TIMEOUT_MS, signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Inconclusive(`the hook ${name} failed: ${why}`);
  }
}
