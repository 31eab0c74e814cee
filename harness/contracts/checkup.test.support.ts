/** Checks a target file in memory and gives what was told, by subject. */

import { revealedKeys } from '../target/keys.ts';
import { parseTarget } from '../target/load.ts';
import { checkUp } from './checkup.ts';
import type { CheckLine } from '../drivers/checkup/lines.ts';

/** A later line about the same subject replaces an earlier one. */
export async function linesOf(file: object): Promise<ReadonlyMap<string, CheckLine>> {
  const { target, keys, folder } = parseTarget(JSON.stringify(file), 'target.yaml');
  const secrets = revealedKeys(keys);
  const lines = new Map<string, CheckLine>();
  await checkUp({ target, secrets, folder }, (line) => lines.set(line.subject, line));
  return lines;
}

/** Subjects with the mark. */
export function marked(
  lines: ReadonlyMap<string, CheckLine>,
  mark: CheckLine['mark'],
): readonly string[] {
  return [...lines.values()].filter((line) => line.mark === mark).map(({ subject }) => subject);
}
