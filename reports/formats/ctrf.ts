/** CTRF, a JSON format for test results. SARIF does not fit, since it locates results in source files. */

import type { ConformanceReport, RequirementResult, Verdict } from '../../schemas/report.ts';
import { withMissingShards } from '../model/conclusions.ts';
import { rootsOf } from '../model/causes.ts';
import { timesOf } from '../model/evidence.ts';
import { evidenceLines } from './exchange-text.ts';
import { duration, present } from '../model/text.ts';

type CtrfStatus = 'passed' | 'failed' | 'skipped' | 'pending' | 'other';

const statuses: Readonly<Record<Verdict, CtrfStatus>> = {
  passed: 'passed',
  observed: 'passed',
  warned: 'passed',
  failed: 'failed',
  'not-exercised': 'skipped',
  waived: 'skipped',
  inconclusive: 'other',
  error: 'other',
};

/** The document as text. The duration of a test is that of its longest case. */
export function reportToCtrf(whole: ConformanceReport): string {
  const report = withMissingShards(whole);
  const times = timesOf(report);
  const roots = rootsOf(report);
  const tests = report.requirements.map((result) =>
    testOf(report, result, { duration: Math.round(times(result)), root: roots.get(result) }),
  );
  const count = (status: CtrfStatus) => tests.filter((test) => test.status === status).length;
  const start = Date.parse(report.run.startedAt);
  return `${JSON.stringify(
    {
      reportFormat: 'CTRF',
      specVersion: '0.0.0',
      results: {
        tool: { name: report.tool.name, version: report.tool.version },
        summary: {
          tests: tests.length,
          passed: count('passed'),
          failed: count('failed'),
          skipped: count('skipped'),
          pending: count('pending'),
          other: count('other'),
          start,
          stop: start + Math.round(report.run.durationMs),
          extra: { seed: report.run.seed, took: duration(report.run.durationMs) },
        },
        tests,
      },
    },
    null,
    2,
  )}\n`;
}

function testOf(
  report: ConformanceReport,
  result: RequirementResult,
  { duration: took, root }: { readonly duration: number; readonly root: string | undefined },
) {
  const [finding] = result.findings;
  const message = finding?.message ?? result.reason;
  return {
    name: result.id,
    status: statuses[result.verdict],
    duration: took,
    suite: [result.target, result.section],
    rawStatus: result.verdict,
    tags: [result.strength],
    ...present({ message }),
    ...(finding === undefined ? {} : { trace: evidenceLines(report, result, root).join('\n') }),
    extra: {
      clause: result.clause,
      statement: result.statement,
      observations: result.observations,
      ...present({ failsWith: root }),
    },
  };
}
