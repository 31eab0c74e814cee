/** What became of the known deviations, in the same words for every form of the report. */

import type { ConformanceReport, KnownDeviation, RequirementResult } from '../schemas/report.ts';
import { byKey } from './order.ts';

export interface DeviationLine {
  readonly result: RequirementResult;
  readonly deviation: KnownDeviation;
  /** What it is, and what to do about it. */
  readonly text: string;
}

const order: readonly KnownDeviation['state'][] = ['expired', 'healed', 'waived', 'unseen'];

/** The deviations of one target, those that ask for something first. */
export function deviationLines(
  report: ConformanceReport,
  target: string,
): readonly DeviationLine[] {
  return report.requirements
    .filter((result) => result.target === target)
    .flatMap((result) => {
      const { deviation } = result;
      return deviation === undefined
        ? []
        : [{ result, deviation, text: textOf(result, deviation) }];
    })
    .toSorted(byKey(({ result, deviation }) => `${order.indexOf(deviation.state)} ${result.id}`));
}

function textOf(
  { verdict }: RequirementResult,
  { state, expires, reason }: KnownDeviation,
): string {
  switch (state) {
    case 'waived':
      return `broken, and accepted until ${expires}: ${reason}`;
    case 'expired':
      return `broken, and accepted no longer since ${expires}: mend it, or declare a later end (${reason})`;
    case 'healed':
      return `healed: take it out of the deviations (${reason})`;
    case 'unseen':
      return verdict === 'passed'
        ? `held as far as it was exercised; it may be broken in the rest (${reason})`
        : `${verdict}, so nothing can be said of it (${reason})`;
  }
}
