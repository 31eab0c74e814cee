/** Writes results for Allure, and cleans the page that Allure builds. */

import { Stage, Status, type StatusDetails } from 'allure-js-commons';
import { FileSystemWriter, ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import type { ConformanceReport, RequirementResult } from '../../schemas/report.ts';
import {
  contractOf,
  findingDetails,
  MAX_FINDINGS,
  requirementMessages,
  shown,
  statuses,
  type Times,
  timesOf,
} from './allure.ts';
import { present, visibleLine } from '../model/text.ts';

/** Writes into a folder that must not contain the results of an earlier run. */
export function writeAllureResults(report: ConformanceReport, resultsDir: string): void {
  const runtime = new ReporterRuntime({
    writer: new FileSystemWriter({ resultsDir }),
    environmentInfo: environment(report),
    categories: [
      { name: 'Violations of what the contract states', matchedStatuses: [Status.FAILED] },
      { name: 'Errors of the suite', matchedStatuses: [Status.BROKEN] },
      {
        name: 'Accepted deviations',
        matchedStatuses: [Status.SKIPPED],
        messageRegex: '(?s).*accepted until.*',
      },
      { name: 'Not exercised, or not decided', matchedStatuses: [Status.SKIPPED] },
    ],
  });
  runtime.writeEnvironmentInfo();
  runtime.writeCategoriesDefinitions();
  for (const result of report.requirements) {
    const { start, stop } = timesOfCases(report, result);
    const contract = contractOf(report, result.target);
    const uuid = runtime.startTest({
      name: result.id,
      fullName: visibleLine(`${result.target}: ${result.id}`),
      titlePath: [result.target, contract, result.section].map((text) => visibleLine(text)),
      start,
    });
    runtime.applyRuntimeMessages(uuid, [
      ...requirementMessages(report, result),
      { type: 'metadata', data: { labels: [{ name: 'framework', value: 'plumbline' }] } },
    ]);
    runtime.updateTest(uuid, (written) => {
      written.status = statuses[result.verdict];
      written.statusDetails = detailsOf(result);
      written.stage = Stage.FINISHED;
    });
    runtime.stopTest(uuid, { stop });
    runtime.writeTest(uuid);
  }
}

/** The details of a result: the first finding, or why the requirement was not judged. */
function detailsOf({ findings, reason, statement }: RequirementResult): StatusDetails {
  const [finding] = findings;
  if (finding === undefined) return present({ message: reason && shown(reason) });
  const trace = findings
    .slice(0, MAX_FINDINGS)
    .map(({ message, expected, actual, replay }) =>
      [message, `expected: ${expected}`, `actual: ${actual}`, `again: ${replay}`]
        .map(shown)
        .join('\n'),
    );
  return {
    ...findingDetails(finding),
    message: shown([finding.message, reason ?? []].flat().join('\n')),
    trace: [statement, ...trace].join('\n\n'),
  };
}

function timesOfCases({ cases, run }: ConformanceReport, result: RequirementResult): Times {
  const own = cases
    .filter((one) => one.target === result.target && result.cases.includes(one.case))
    .map(timesOf);
  if (own.length === 0) return timesOf({ startedAt: Date.parse(run.startedAt), durationMs: 0 });
  return {
    start: Math.min(...own.map(({ start }) => start)),
    stop: Math.max(...own.map(({ stop }) => stop)),
  };
}

function environment({ tool, run, targets }: ConformanceReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [
      ['plumbline', tool.version],
      ['catalogue', tool.catalogueDigest.slice(0, 12)],
      ['seed', String(run.seed)],
      ...targets.map(({ name, baseUrl }) => [name, baseUrl]),
    ].map(([name = '', value = '']) => [visibleLine(name), visibleLine(value)]),
  );
}

/** Removes the scripts of the visitor counter. Throws if another external script remains. */
export function withoutCounter(page: string): string {
  const clean = page
    .replaceAll(/<script\b[^>]*googletagmanager\.com[^>]*>\s*<\/script>\s*/gu, '')
    .replaceAll(/<script>\s*window\.dataLayer\b(?:(?!<\/script>)[\s\S])*<\/script>\s*/gu, '');
  const left = /<script\b[^>]*\bsrc=["']?(?:https?:)?\/\/[^>]*>|googletagmanager|gtag\(/u.exec(
    clean,
  );
  if (left !== null) throw new Error(`the page of Allure still loads ${left[0].slice(0, 120)}`);
  return clean;
}
