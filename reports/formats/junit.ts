/** JUnit XML, which every CI system reads: a suite per target and section, a test case per requirement. */

import type { ConformanceReport, RequirementResult } from '../../schemas/report.ts';
import { withMissingShards } from '../model/conclusions.ts';
import { rootsOf } from '../model/causes.ts';
import { timesOf } from '../model/evidence.ts';
import { evidenceLines } from './exchange-text.ts';
import { grouped, xmlText } from '../model/text.ts';

const SHOWN_TEXT = 2_000;

/**
 * A broken stated requirement is a failure, an error of ours an error. Requirements without a verdict are skipped, with
 * the reason. A broken implied requirement passes, with the warning in its output.
 */
export function reportToJunit(whole: ConformanceReport): string {
  const report = withMissingShards(whole);
  const suites = [
    ...grouped(report.requirements, ({ target, section }) => `${target} › ${section}`),
  ];
  const context: JUnitContext = { report, times: timesOf(report), roots: rootsOf(report) };
  const seconds = (report.run.durationMs / 1_000).toFixed(3);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${xmlText(report.tool.name)}" ${totals(report.requirements)} time="${seconds}">
${suites.map(([name, results]) => suite(context, name, results)).join('\n')}
</testsuites>
`;
}

interface JUnitContext {
  readonly report: ConformanceReport;
  readonly times: ReturnType<typeof timesOf>;
  readonly roots: ReturnType<typeof rootsOf>;
}

function suite(context: JUnitContext, name: string, results: readonly RequirementResult[]): string {
  return `<testsuite name="${xmlText(name)}" ${totals(results)} timestamp="${xmlText(context.report.run.startedAt.replace(/(?:\.\d+)?Z$/u, ''))}">
${results.map((result) => testcase(context, name, result)).join('\n')}
</testsuite>`;
}

function totals(results: readonly RequirementResult[]): string {
  const count = (...verdicts: readonly RequirementResult['verdict'][]) =>
    results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return `tests="${results.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('not-exercised', 'inconclusive', 'waived')}"`;
}

function testcase(context: JUnitContext, suiteName: string, result: RequirementResult): string {
  const seconds = (context.times(result) / 1_000).toFixed(3);
  const head = `<testcase classname="${xmlText(suiteName)}" name="${xmlText(result.id)}" time="${seconds}"`;
  const content = contentOf(context, result);
  return content === '' ? `${head}/>` : `${head}>${content}</testcase>`;
}

function contentOf({ report, roots }: JUnitContext, result: RequirementResult): string {
  const { verdict } = result;
  const reason = xmlText(result.reason ?? verdict);
  const details = () => evidenceLines(report, result, roots.get(result)).join('\n');
  if (verdict === 'failed') {
    return `<failure type="${xmlText(result.strength)}" message="${xmlText((result.findings[0]?.message ?? result.statement).slice(0, SHOWN_TEXT))}">${xmlText(details())}</failure>`;
  }
  if (verdict === 'warned') {
    return `<system-out>${xmlText(`warning: ${details()}`)}</system-out>`;
  }
  if (verdict === 'error') return `<error type="suite" message="${reason}"/>`;
  if (verdict === 'passed' || verdict === 'observed') return '';
  return `<skipped message="${xmlText(verdict)}: ${reason}"/>`;
}
