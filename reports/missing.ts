/** What was not exercised, by what would make it possible. */

import type { ConformanceReport } from '../schemas/report.ts';
import { byText } from './order.ts';

export interface MissingGroup {
  /** The lines of the target file to add; absent where none would help. */
  readonly line?: string;
  readonly reasons: readonly string[];
  /** Requirements not exercised for want of it. */
  readonly requirements: readonly string[];
  /** Requirements that were exercised in part. */
  readonly partly: readonly string[];
}

/** Groups of one target: those with a line first, the one that helps most on top. */
export function missingGroups(report: ConformanceReport, target: string): readonly MissingGroup[] {
  const groups = new Map<
    string,
    { line?: string; reasons: Set<string>; requirements: Set<string>; partly: Set<string> }
  >();
  for (const result of report.requirements) {
    if (result.target !== target) continue;
    for (const { line, reason, kind } of result.gaps) {
      if (kind === 'inconclusive') continue;
      const key = line ?? `because ${reason}`;
      const group = groups.get(key) ?? {
        ...(line === undefined ? {} : { line }),
        reasons: new Set(),
        requirements: new Set(),
        partly: new Set(),
      };
      group.reasons.add(reason);
      (result.verdict === 'not-exercised' ? group.requirements : group.partly).add(result.id);
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .map(({ line, reasons, requirements, partly }) => ({
      ...(line === undefined ? {} : { line }),
      reasons: [...reasons].toSorted(byText),
      requirements: [...requirements].toSorted(byText),
      partly: [...partly].toSorted(byText),
    }))
    .toSorted(
      (left, right) =>
        Number(left.line === undefined) - Number(right.line === undefined) ||
        right.requirements.length - left.requirements.length ||
        byText(left.line ?? left.reasons.join(), right.line ?? right.reasons.join()),
    );
}

export interface MissingLine {
  readonly line: string;
  /** Requirements that need the line, and perhaps others with it. */
  readonly requirements: readonly string[];
}

/** The lines of all groups, each once, the one that most requirements need on top. */
export function missingLines(groups: readonly MissingGroup[]): readonly MissingLine[] {
  const lines = new Map<string, Set<string>>();
  for (const { line, requirements } of groups) {
    for (const each of line?.split('\n') ?? []) {
      lines.set(each, new Set([...(lines.get(each) ?? []), ...requirements]));
    }
  }
  return [...lines]
    .map(([line, requirements]) => ({ line, requirements: [...requirements].toSorted(byText) }))
    .toSorted(
      (left, right) =>
        right.requirements.length - left.requirements.length || byText(left.line, right.line),
    );
}
