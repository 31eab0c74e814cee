/** A run in GitHub Actions: an annotation for each broken requirement, and the report as the step summary. */

import type { ConformanceReport } from '../../schemas/report.ts';
import { reportToMarkdown } from './markdown.ts';

/** A little less than GitHub's maximum size of a summary, in bytes. */
const MAX_BYTES = 1_000_000;

/** One workflow command per line. GitHub shows ten errors of a step. */
export function githubAnnotations({ requirements }: ConformanceReport): string {
  return requirements
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ id, statement, findings: [found] }) => {
      const text = [statement, found?.message, found?.replay && `Again: ${found.replay}`];
      const title = escaped(id).replaceAll(':', '%3A').replaceAll(',', '%2C');
      return `::error title=${title}::${escaped(text.filter(Boolean).join('\n'))}\n`;
    })
    .join('');
}

/** The Markdown report, cut at a line end if GitHub would refuse it. */
export function githubSummary(report: ConformanceReport): string {
  const bytes = Buffer.from(reportToMarkdown(report));
  if (bytes.length <= MAX_BYTES) return bytes.toString('utf8');
  const kept = bytes.subarray(0, bytes.lastIndexOf('\n', MAX_BYTES) + 1).toString('utf8');
  return `${kept}\nThe rest is in the report.\n`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
