/** Checks a target file in memory and returns the reported lines by subject. */

import { parseTarget } from './target-file.ts';
import { type CheckLine, checkUp } from './preflight.ts';

/** A later line about the same subject replaces an earlier one. */
export async function linesOf(file: object): Promise<ReadonlyMap<string, CheckLine>> {
  const lines = new Map<string, CheckLine>();
  const planned = parseTarget(JSON.stringify(file), 'target.yaml');
  await checkUp(planned, (line) => lines.set(line.subject, line));
  return lines;
}

/** The subjects of lines with this mark. */
export function marked(
  lines: ReadonlyMap<string, CheckLine>,
  mark: CheckLine['mark'],
): readonly string[] {
  return [...lines.values()].filter((line) => line.mark === mark).map(({ subject }) => subject);
}

/** The words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/u);
