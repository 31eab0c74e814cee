/**
 * Results in Allure's own form, which Allure 2 and 3 read: a file for each requirement, and a text for each
 * exchange that shows it. They are written from the report and not by a reporter inside Vitest, because a
 * requirement is judged across many cases, and because only the report is redacted and complete.
 */

import { createHash } from 'node:crypto';

import type {
  ConformanceReport,
  ExchangeRecord,
  RequirementResult,
  Verdict,
} from '../schemas/report.ts';
import { visibleLine, visibleText } from './visible-text.ts';
import { wireText } from './wire-text.ts';

/** One file of the folder that `allure generate` reads. */
export interface AllureFile {
  readonly name: string;
  readonly content: string;
}

type AllureStatus = 'passed' | 'failed' | 'broken' | 'skipped';

const statuses: Readonly<Record<Verdict, AllureStatus>> = {
  passed: 'passed',
  observed: 'passed',
  // Warnings do not fail a run; the label `verdict` tells them apart.
  warned: 'passed',
  failed: 'failed',
  error: 'broken',
  inconclusive: 'broken',
  waived: 'skipped',
  'not-exercised': 'skipped',
};

const severities: Readonly<Record<RequirementResult['strength'], string>> = {
  stated: 'critical',
  implied: 'minor',
  open: 'trivial',
};

const SHOWN_EXCHANGES = 5;
const SHOWN_FINDINGS = 5;
const SHOWN_TEXT = 2_000;

/** Every file of the results; names do not change while the report does not. */
export function allureFiles(report: ConformanceReport): readonly AllureFile[] {
  const exchanges = new Map(report.exchanges.map((exchange) => [exchange.id, exchange]));
  const attached = new Map<string, AllureFile>();
  const results = report.requirements.map((result) => {
    const cited = citedBy(result).flatMap((id) => exchanges.get(id) ?? []);
    for (const exchange of cited) {
      const file = attachmentFile(exchange);
      attached.set(file.name, file);
    }
    const value = allureResult(report, result, cited);
    return { name: `${value.uuid}-result.json`, content: `${JSON.stringify(value, null, 2)}\n` };
  });
  return [...results, ...attached.values(), environment(report), categories];
}

function allureResult(
  report: ConformanceReport,
  result: RequirementResult,
  cited: readonly ExchangeRecord[],
) {
  const target = report.targets.find(({ name }) => name === result.target);
  const contract = target?.contract ?? 'compute';
  const identity = digest(`${contract} ${result.target} ${result.id}`);
  const start = Date.parse(report.run.startedAt);
  return {
    uuid: uuidFrom(`${report.run.id} ${identity}`),
    historyId: identity,
    testCaseId: digest(result.id),
    fullName: visibleLine(`${result.target}: ${result.id}`),
    name: result.id,
    titlePath: [result.target, contract, result.section].map((text) => visibleLine(text)),
    description: result.statement,
    status: statuses[result.verdict],
    statusDetails: detailsOf(result),
    stage: 'finished',
    start,
    stop: start + Math.round(report.run.durationMs),
    labels: labelsOf(result, contract),
    links: linksOf(result),
    parameters: [{ name: 'target', value: visibleLine(result.target) }],
    steps: [],
    attachments: cited.map((exchange) => ({
      name: visibleLine(`${exchange.request.method} ${exchange.request.url} (${exchange.id})`),
      source: attachmentName(exchange),
      type: 'text/plain',
    })),
  };
}

function labelsOf(result: RequirementResult, contract: string) {
  return [
    { name: 'contract', value: contract },
    { name: 'section', value: result.section },
    { name: 'requirement', value: result.id },
    { name: 'strength', value: result.strength },
    { name: 'verdict', value: result.verdict },
    { name: 'parentSuite', value: visibleLine(result.target) },
    { name: 'suite', value: contract },
    { name: 'subSuite', value: result.section },
    { name: 'epic', value: contract },
    { name: 'feature', value: result.section },
    { name: 'severity', value: severities[result.strength] },
    { name: 'tag', value: result.strength },
    { name: 'tag', value: result.verdict },
    { name: 'framework', value: 'plumbline' },
  ];
}

function linksOf({ deviation }: RequirementResult) {
  if (deviation?.link === undefined) return [];
  return [{ name: 'known deviation', url: deviation.link, type: 'issue' }];
}

function detailsOf({ findings, reason, statement }: RequirementResult) {
  const [finding] = findings;
  const shown = (text: string): string => visibleText(text).slice(0, SHOWN_TEXT);
  if (finding === undefined) return reason === undefined ? {} : { message: shown(reason) };
  const trace = findings
    .slice(0, SHOWN_FINDINGS)
    .map((each) =>
      [
        each.message,
        `expected: ${each.expected}`,
        `actual: ${each.actual}`,
        `again: ${each.replay}`,
      ]
        .map(shown)
        .join('\n'),
    );
  return {
    message: shown([finding.message, ...(reason === undefined ? [] : [reason])].join('\n')),
    trace: [statement, ...trace].join('\n\n'),
    expected: shown(finding.expected),
    actual: shown(finding.actual),
  };
}

/** Exchanges of the findings; of what held, its sample. */
function citedBy({ findings, sample }: RequirementResult): readonly string[] {
  const shown = findings.slice(0, SHOWN_FINDINGS).flatMap(({ exchanges }) => exchanges);
  if (shown.length === 0) return sample === undefined ? [] : [sample];
  return [...new Set(shown)].slice(0, SHOWN_EXCHANGES);
}

function attachmentName({ id }: ExchangeRecord): string {
  return `${uuidFrom(`exchange ${id}`)}-attachment.txt`;
}

/** Plain text, so that no reader takes a server's body for a page of its own. */
function attachmentFile(exchange: ExchangeRecord): AllureFile {
  return { name: attachmentName(exchange), content: `${visibleText(wireText(exchange))}\n` };
}

function environment({ tool, run, targets }: ConformanceReport): AllureFile {
  const rows = [
    ['plumbline', tool.version],
    ['catalogue', tool.catalogueDigest.slice(0, 12)],
    ['seed', String(run.seed)],
    ...targets.map(({ name, baseUrl }) => [name, baseUrl]),
  ];
  const content = rows
    .map(([name = '', value = '']) => `${property(name, true)}=${property(value, false)}\n`)
    .join('');
  return { name: 'environment.properties', content };
}

/** Text in a Java properties file, where other things than words must be escaped. */
function property(text: string, isKey: boolean): string {
  return visibleLine(text)
    .replaceAll('\\', String.raw`\\`)
    .replaceAll(isKey ? /[ =:#!]/gu : /^[ #!]/gu, (sign) => `\\${sign}`)
    .replaceAll(/[^\u0020-\u007e]/gu, (sign) =>
      [...Array(sign.length).keys()]
        .map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    );
}

const categories: AllureFile = {
  name: 'categories.json',
  content: `${JSON.stringify(
    [
      { name: 'Violations of what the contract states', matchedStatuses: ['failed'] },
      { name: 'Could not be judged', matchedStatuses: ['broken'] },
      {
        name: 'Accepted deviations',
        matchedStatuses: ['skipped'],
        messageRegex: '(?s).*accepted until.*',
      },
      { name: 'Not exercised', matchedStatuses: ['skipped'] },
    ],
    null,
    2,
  )}\n`,
};

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A UUID that follows from a text. */
function uuidFrom(text: string): string {
  return digest(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/u, '$1-$2-8$3-8$4-$5');
}
