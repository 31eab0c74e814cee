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
        : [{ result, deviation, text: texts[deviation.state](deviation, result) }];
    })
    .toSorted(byKey(({ result, deviation }) => `${order.indexOf(deviation.state)} ${result.id}`));
}

const texts: Readonly<
  Record<KnownDeviation['state'], (declared: KnownDeviation, result: RequirementResult) => string>
> = {
  waived: ({ expires, reason }) => `broken, and accepted until ${expires}: ${reason}`,
  expired: ({ expires, reason }) =>
    `broken, and accepted no longer since ${expires}: mend it, or declare a later end (${reason})`,
  healed: ({ reason }) => `healed: take it out of the deviations (${reason})`,
  unseen: ({ reason }, { verdict }) =>
    verdict === 'passed'
      ? `held as far as it was exercised; it may be broken in the rest (${reason})`
      : `${verdict}, so nothing can be said of it (${reason})`,
};
