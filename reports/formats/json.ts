/** Writes and reads `conformance.json`. */

import { z } from 'zod';
import {
  conformanceReport,
  type ConformanceReport,
  REPORT_SCHEMA_VERSION,
} from '../../schemas/report.ts';

/** The report as text, with a trailing line feed. */
export function reportToJson(report: ConformanceReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** A file that is not a report, with a message for the user. */
export class UnreadableReport extends Error {
  override readonly name = 'UnreadableReport';
}

/** Reads a report from the file `name`. @throws {UnreadableReport} for anything but a report of a known version */
export function reportFromJson(text: string, name: string): ConformanceReport {
  const parsed = parseJson(text, name);
  const version = z.object({ schemaVersion: z.number() }).safeParse(parsed);
  if (version.success && version.data.schemaVersion > REPORT_SCHEMA_VERSION) {
    throw new UnreadableReport(
      `${name} has schema version ${version.data.schemaVersion}; this plumbline reads up to ${REPORT_SCHEMA_VERSION}. Update plumbline.`,
    );
  }
  const read = conformanceReport.safeParse(parsed);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place =
    issue === undefined ? '' : `: ${issue.path.join('.') || 'its root'} is missing or malformed`;
  throw new UnreadableReport(`${name} is not a conformance report${place}`);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = error instanceof Error ? ` (${error.message})` : '';
    throw new UnreadableReport(
      `${name} is not JSON${at}: it may have been cut. Name the conformance.json of a run`,
      { cause: error },
    );
  }
}
