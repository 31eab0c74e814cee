/**
 * Exchange ids are unique in the process that made them. In a merged report each carries the index of its
 * shard, so that a finding never cites an exchange of another machine.
 */

import type { ConformanceReport } from '../schemas/report.ts';

/** The report with the index of its shard in every exchange id; a merged report has them already. */
export function withShardNames(report: ConformanceReport): ConformanceReport {
  const { shard } = report.run;
  if (shard === null) return report;
  const named = (id: string): string => `${shard.index}/${id}`;
  return {
    ...report,
    exchanges: report.exchanges.map((exchange) => ({ ...exchange, id: named(exchange.id) })),
    requirements: report.requirements.map((result) => ({
      ...result,
      ...(result.sample === undefined ? {} : { sample: named(result.sample) }),
      findings: result.findings.map((finding) => ({
        ...finding,
        exchange: finding.exchange === null ? null : named(finding.exchange),
        exchanges: finding.exchanges.map(named),
      })),
      recordings: result.recordings.map((recording) =>
        recording.exchange === undefined
          ? recording
          : { ...recording, exchange: named(recording.exchange) },
      ),
    })),
  };
}
