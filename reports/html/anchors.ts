/** Names of places in the page. Requirement ids are ours and safe; target names are a user's, so they get numbers. */

import type { ConformanceReport } from '../../schemas/report.ts';

/** Where a part of a target's section starts, or the section itself. */
export function targetAnchor(report: ConformanceReport, target: string, part = ''): string {
  const number = report.targets.findIndex(({ name }) => name === target) + 1;
  return `target-${number}${part === '' ? '' : `-${part}`}`;
}

/** Where a requirement of a target is told. */
export function requirementAnchor(report: ConformanceReport, target: string, id: string): string {
  return targetAnchor(report, target, id);
}
