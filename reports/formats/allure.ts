/** The Allure messages of a requirement, for `allure-vitest` and for `allure-results.ts`, so that both show the same. */

import { LabelName, LinkType, Severity, Status, type StatusDetails } from 'allure-js-commons';
import type { RuntimeMessage } from 'allure-js-commons/sdk';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type {
  ConformanceReport,
  Finding,
  RequirementResult,
  Verdict,
} from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { attachment } from './allure-exchange.ts';
import { curlCommand } from './exchange-text.ts';
import { exchangesById, type ExchangesById } from '../model/evidence.ts';
import { present, sha256, visibleLine, visibleText } from '../model/text.ts';

export type AllureMessage = RuntimeMessage;

export const statuses: Readonly<Record<Verdict, Status>> = {
  passed: Status.PASSED,
  observed: Status.PASSED,
  // Warnings do not fail a run. The label `verdict` shows them.
  warned: Status.PASSED,
  failed: Status.FAILED,
  error: Status.BROKEN,
  inconclusive: Status.SKIPPED,
  waived: Status.SKIPPED,
  'not-exercised': Status.SKIPPED,
};

const severities: Readonly<Record<RequirementResult['strength'], Severity>> = {
  stated: Severity.CRITICAL,
  implied: Severity.MINOR,
  open: Severity.TRIVIAL,
};

const MAX_EXCHANGES = 5;
export const MAX_FINDINGS = 5;
const MAX_TEXT = 2_000;

export const shown = (text: string): string => visibleText(text).slice(0, MAX_TEXT);

/** The messages for a requirement: a step for each case that judged it, with the findings of the case. */
export function requirementMessages(
  report: ConformanceReport,
  result: RequirementResult,
): readonly AllureMessage[] {
  const { id, target, section, strength, verdict } = result;
  const contract = contractOf(report, target);
  const named = new Set([
    ...result.cases,
    ...[...result.findings, ...result.gaps].map((reasons) => reasons.case ?? ''),
  ]);
  const cases = report.cases.filter((one) => one.target === target && named.has(one.case));
  const exchanges = exchangesById(report.exchanges);
  const sample = result.findings.length === 0 ? exchanges.get(result.sample ?? '') : undefined;
  return [
    {
      type: 'metadata',
      data: {
        description: [result.statement, result.reason ?? []].flat().map(shown).join('\n\n'),
        testCaseId: digest(id),
        historyId: digest(`${contract} ${target} ${id}`),
        labels: [
          ...labelsOf('requirement', { contract, section, target }),
          { name: 'requirement', value: id },
          { name: 'strength', value: strength },
          { name: 'verdict', value: verdict },
          { name: LabelName.SEVERITY, value: severities[strength] },
          { name: LabelName.TAG, value: strength },
          { name: LabelName.TAG, value: verdict },
        ],
        links:
          result.deviation?.link === undefined
            ? []
            : [{ name: 'known deviation', url: result.deviation.link, type: LinkType.ISSUE }],
        parameters: [{ name: 'target', value: visibleLine(target) }],
      },
    },
    ...cases.flatMap((one) => caseStep(report, result, one, exchanges)),
    ...gapSteps(result, undefined, Date.parse(report.run.startedAt)),
    ...(sample === undefined ? [] : [attachment(sample)]),
  ];
}

/** The messages for a single case: its findings, and the properties that it tried. */
export function caseMessages(outcome: CaseOutcome): readonly AllureMessage[] {
  const { contract, section, target } = outcome;
  const times = timesOf(outcome);
  return [
    {
      type: 'metadata',
      data: {
        testCaseId: digest(outcome.case),
        historyId: digest(`${contract} ${target} ${outcome.case}`),
        labels: labelsOf('case', { contract, section, target }),
        parameters: [{ name: 'target', value: visibleLine(target) }],
      },
    },
    ...step(visibleLine(outcome.case), times, { status: statusOfCase(outcome) }, [
      ...outcome.properties.flatMap((property) => propertyStep(property, times, outcome.findings)),
      ...outcome.findings.flatMap((finding) =>
        step(visibleLine(`${finding.requirement}: ${finding.message}`), times, {
          status: Status.FAILED,
          details: findingDetails(finding),
        }),
      ),
      ...outcome.gaps.flatMap((gap) =>
        step(visibleLine(`${gap.requirement}: ${gap.reason}`), times, { status: Status.SKIPPED }),
      ),
    ]),
  ];
}

export interface Times {
  readonly start: number;
  readonly stop: number;
}

/** When a case or an exchange began and ended. */
export function timesOf({
  startedAt,
  durationMs,
}: Pick<CaseOutcome, 'startedAt' | 'durationMs'>): Times {
  return { start: Math.round(startedAt), stop: Math.round(startedAt + durationMs) };
}

function caseStep(
  report: ConformanceReport,
  result: RequirementResult,
  one: ConformanceReport['cases'][number],
  exchanges: ExchangesById,
): readonly AllureMessage[] {
  const times = timesOf(one);
  const findings = result.findings
    .filter((finding) => finding.case === one.case)
    .slice(0, MAX_FINDINGS);
  const gaps = result.gaps.filter((gap) => gap.case === one.case);
  const properties = report.properties.filter(
    (property) => property.target === result.target && property.case === one.case,
  );
  const status =
    findings.length > 0 ? Status.FAILED : gaps.length > 0 ? Status.SKIPPED : Status.PASSED;
  return step(visibleLine(one.case), times, { status }, [
    ...properties.flatMap((property) => propertyStep(property, times, findings)),
    ...findings.flatMap((finding) => findingStep(finding, times, exchanges)),
    ...gapSteps(result, one.case, times.start),
  ]);
}

/** A property of a case, with the smallest value that broke it. */
function propertyStep(
  { name, runs, informative, seed }: CaseOutcome['properties'][number],
  times: Times,
  findings: readonly Pick<Finding, 'counterexample'>[],
): readonly AllureMessage[] {
  const broken = findings.flatMap(({ counterexample }) =>
    counterexample?.property === name ? [counterexample] : [],
  );
  return step(
    visibleLine(`${name}: ${runs} values tried, ${informative} of them telling (seed ${seed})`),
    times,
    { status: broken.length > 0 ? Status.FAILED : Status.PASSED },
    broken.flatMap(({ value, path }) =>
      step('smallest counterexample', times, {
        status: Status.FAILED,
        parameters: { value: shown(value), path: shown(path) },
      }),
    ),
  );
}

function findingStep(
  finding: Finding,
  times: Times,
  exchanges: ExchangesById,
): readonly AllureMessage[] {
  const cited = finding.exchanges.slice(0, MAX_EXCHANGES).flatMap((id) => exchanges.get(id) ?? []);
  const [first] = cited;
  return step(
    visibleLine(finding.message),
    first === undefined ? times : timesOf(first),
    {
      status: Status.FAILED,
      details: findingDetails(finding),
      parameters: { curl: curlOf(first) },
    },
    cited.map(attachment),
  );
}

function gapSteps(
  { gaps, reason }: RequirementResult,
  name: string | undefined,
  at: number,
): readonly AllureMessage[] {
  // A reason that belongs to no case is shown by itself.
  const isAlone = name === undefined && gaps.length === 0 && reason !== undefined;
  const own = isAlone ? [{ reason, line: undefined }] : gaps.filter((gap) => gap.case === name);
  return own.flatMap((gap) =>
    step(
      visibleLine(gap.reason),
      { start: at, stop: at },
      {
        status: Status.SKIPPED,
        details: { message: shown(gap.reason) },
        parameters: { 'line to add': gap.line && shown(gap.line) },
      },
    ),
  );
}

function curlOf(exchange: ReportedExchange | undefined): string | undefined {
  const command = exchange && curlCommand(exchange);
  return command && shown(command.replaceAll(' \\\n  ', ' '));
}

interface StepState {
  readonly status: Status;
  readonly details?: StatusDetails;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
}

function step(
  name: string,
  { start, stop }: Times,
  { status, details, parameters = {} }: StepState,
  within: readonly AllureMessage[] = [],
): readonly AllureMessage[] {
  const named = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [{ name: key, value }],
  );
  return [
    { type: 'step_start', data: { name, start } },
    ...(named.length === 0
      ? []
      : [{ type: 'step_metadata' as const, data: { parameters: named } }]),
    ...within,
    {
      type: 'step_stop',
      data: {
        stop,
        status,
        ...present({ statusDetails: details }),
      },
    },
  ];
}

/** The status details of a finding. */
export function findingDetails({
  message,
  expected,
  actual,
}: Pick<Finding, 'message' | 'expected' | 'actual'>): StatusDetails {
  return { message: shown(message), expected: shown(expected), actual: shown(actual) };
}

function statusOfCase({ findings, errors, gaps, seen }: CaseOutcome): Status {
  if (findings.length > 0) return Status.FAILED;
  if (errors.length > 0) return Status.BROKEN;
  return gaps.length > 0 && Object.keys(seen).length === 0 ? Status.SKIPPED : Status.PASSED;
}

/** The label `layer` separates requirements from cases, so that a filter on it counts nothing twice. */
function labelsOf(
  layer: 'requirement' | 'case',
  of: { readonly contract: Contract; readonly section: string; readonly target: string },
) {
  return [
    { name: LabelName.LAYER, value: layer },
    { name: 'contract', value: of.contract },
    { name: 'section', value: of.section },
    { name: LabelName.PARENT_SUITE, value: visibleLine(of.target) },
    { name: LabelName.SUITE, value: of.contract },
    { name: LabelName.SUB_SUITE, value: of.section },
    { name: LabelName.EPIC, value: of.contract },
    { name: LabelName.FEATURE, value: of.section },
  ];
}

/** The contract of a target; `''` for an unknown target. */
export function contractOf(report: ConformanceReport, target: string): Contract {
  return report.targets.find(({ name }) => name === target)?.contract ?? '';
}

function digest(text: string): string {
  return sha256(text).slice(0, 32);
}
