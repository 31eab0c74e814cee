/** What held on a later try alone: a server that fails now and then is not to look like one that never does. */

import type { ConformanceReport, TargetResult, Verdict } from '../schemas/report.ts';
import { plural } from './wording.ts';

const held: ReadonlySet<Verdict> = new Set(['passed', 'observed']);

/** Each requirement of a target that held on a later try, in one sentence; undefined without any. */
export function laterTriesText(
  { requirements }: ConformanceReport,
  { name }: TargetResult,
): string | undefined {
  const late = requirements.flatMap(({ target, id, verdict, tries }) =>
    target === name && tries !== undefined && held.has(verdict) ? [`${id} (${tries} tries)`] : [],
  );
  if (late.length === 0) return undefined;
  return `${plural(late.length, 'requirement')} held on a later try alone: ${late.join(', ')}`;
}
