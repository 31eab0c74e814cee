/** The result of the test for a case or a requirement: it passes, is skipped with a reason, or fails with a finding. */

import type { TestContext } from 'vitest';
import type { CaseOutcome, OutcomeFinding } from '../../../schemas/outcome.ts';
import type { ConformanceReport, RequirementResult } from '../../../schemas/report.ts';
import {
  type AllureMessage,
  caseMessages,
  requirementMessages,
} from '../../../reports/formats/allure.ts';
import { curlCommand, cut, wireText } from '../../../reports/formats/exchange-text.ts';
import { differingPart } from '../../../reports/model/difference.ts';
import { visibleLine, visibleText } from '../../../reports/model/text.ts';

/** Vitest shows the difference between expected and actual, as for an assertion. */
class RequirementBroken extends Error {
  override name = 'AssertionError';
  readonly expected: string;
  readonly actual: string;
  constructor(message: string, sides: Pick<OutcomeFinding, 'expected' | 'actual'>) {
    super(visibleText(message));
    const { expected, actual } = differingPart(sides);
    this.expected = visibleText(expected);
    this.actual = visibleText(actual);
    // The stack trace would only show where we threw, not what the server did.
    this.stack = `${this.name}: ${this.message}`;
  }
}

const MAX_FINDINGS = 5;
/** Maximum characters of an exchange, so that it does not hide the message. */
const MAX_EXCHANGE = 2000;

/** Fails on findings that count. A case without observations is skipped. */
export function reportCase(
  context: TestContext,
  outcome: CaseOutcome,
  counts: (requirement: string) => boolean,
): void {
  toAllure(context, () => caseMessages(outcome));
  const findings = outcome.findings.filter(({ requirement }) => counts(requirement));
  const [first] = findings;
  if (first !== undefined) {
    const texts = findings
      .slice(0, MAX_FINDINGS)
      .map(({ requirement, message }) => `${requirement}: ${message}`);
    throw new RequirementBroken(texts.join('\n'), first);
  }
  throwErrors(outcome.errors.map(({ message }) => message));
  const [gap] = outcome.gaps;
  if (gap !== undefined && Object.keys(outcome.seen).length === 0) {
    context.skip(whyNot(gap.reason, gap.line));
  }
}

/** Fails if the requirement is broken. An implied one fails only with `strict`; otherwise it is annotated. */
export async function reportRequirement(
  context: TestContext,
  report: ConformanceReport,
  id: string,
  strict: boolean,
): Promise<void> {
  const result = report.requirements.find((one) => one.id === id);
  if (result === undefined) return context.skip('the run was told to leave it out');
  toAllure(context, () => requirementMessages(report, result));
  const { verdict, reason = '', gaps } = result;
  const [finding] = result.findings;
  if (finding !== undefined) await annotate(context, report, finding);
  if (finding !== undefined && (verdict === 'failed' || (strict && verdict === 'warned'))) {
    throw new RequirementBroken(brokenText(result), finding);
  }
  if (verdict === 'error') throwErrors(result.errors ?? [reason]);
  if (verdict === 'not-exercised') context.skip(whyNot(reason, gaps[0]?.line));
  if (verdict === 'inconclusive') context.skip(`inconclusive: ${visibleText(reason)}`);
  if (verdict === 'waived') context.skip(visibleText(reason));
  return undefined;
}

/** Adds the exchange with its curl command, and the smallest counterexample. */
async function annotate(
  context: TestContext,
  report: ConformanceReport,
  { exchange: shown, counterexample }: RequirementResult['findings'][number],
): Promise<void> {
  const exchange = report.exchanges.find(({ id }) => id === shown);
  if (exchange !== undefined) {
    await context.annotate(cut(visibleText(wireText(exchange)), MAX_EXCHANGE), 'exchange');
  }
  const command = exchange === undefined ? undefined : curlCommand(exchange);
  if (command !== undefined) await context.annotate(visibleText(command), 'curl');
  if (counterexample !== undefined) {
    await context.annotate(visibleText(counterexample.value), 'counterexample');
  }
}

function brokenText({ id, statement, findings, where }: RequirementResult): string {
  const [first] = findings;
  const lines = findings
    .slice(0, MAX_FINDINGS)
    .map(({ message, case: name }) => `${message} (${name})`);
  return [
    `${id}: ${lines.join('\n')}`,
    `Requires: ${statement}${where === undefined ? '' : ` [${where}]`}`,
    ...(first === undefined ? [] : [`Again: ${first.replay}`]),
  ].join('\n');
}

function throwErrors(messages: readonly string[]): void {
  if (messages.length > 0) throw new Error(visibleText(messages.join('\n')));
}

function whyNot(reason: string, line: string | undefined): string {
  const why = visibleLine(reason);
  return line === undefined ? why : `${why}; add: ${visibleLine(line)}`;
}

/** `allure-vitest`, if active, reads its messages from the metadata of a test. */
function toAllure({ task }: TestContext, messages: () => readonly AllureMessage[]): void {
  if (!('allureTestRuntime' in globalThis)) return;
  Object.assign(task.meta, { allureRuntimeMessages: messages() });
}
