/** What a merged report cannot tell for want of a shard, said as that and not as what the target file lacks. */

import type { ConformanceReport } from '../schemas/report.ts';
import { missingShards } from './merge.ts';

/** `Shard 2 of 2 is missing`; undefined when none is. */
export function missingShardsText(report: ConformanceReport): string | undefined {
  const missing = missingShards(report);
  if (missing.length === 0) return undefined;
  const of = report.run.parts?.[0]?.shard.of ?? 0;
  const [last, ...before] = missing.toReversed();
  return before.length === 0
    ? `Shard ${last} of ${of} is missing`
    : `Shards ${before.toReversed().join(', ')} and ${last} of ${of} are missing`;
}

/**
 * The report as it is shown: what was only presumed of requirements that no case told of may stand in the missing
 * shard. The result itself keeps what was presumed, since the shard may still be merged into it.
 */
export function withMissingShards(report: ConformanceReport): ConformanceReport {
  const reason = missingShardsText(report);
  if (reason === undefined) return report;
  return {
    ...report,
    requirements: report.requirements.map((result) =>
      result.verdict === 'not-exercised' && result.gaps.every(({ presumed }) => presumed === true)
        ? { ...result, reason, gaps: [{ kind: 'not-exercised', reason, presumed: true }] }
        : result,
    ),
  };
}
