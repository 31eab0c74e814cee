/**
 * Registers the suites as tests of a Vitest project, this one or a user's. A test passes, is skipped with a reason, or
 * fails with a finding.
 */

import { requirementsOf, type TargetFileInput } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import type { ConformanceReport, RequirementResult } from '../../../schemas/report.ts';
import { openSession } from '../../contracts/index.ts';
import { journalIn } from '../../drivers/journal.ts';
import type { Section } from '../../runner/case.ts';
import {
  plannedCases,
  plannedSelection,
  type PlannedTarget,
  type RunPlan,
} from '../../runner/selection.ts';
import { registerTarget } from '../../runner/vitest.ts';
import { reportOf } from '../report-of-run.ts';
import { loadSections } from '../files.ts';
import { plannedFrom, requireReady } from '../planned.ts';
import { planOf } from '../selection.ts';
import type { ConformanceOptions } from './run-conformance.ts';
import type { TestContext } from 'vitest';
import type { CaseOutcome, OutcomeFinding } from '../../../schemas/outcome.ts';
import {
  type AllureMessage,
  caseMessages,
  requirementMessages,
} from '../../../reports/formats/allure.ts';
import { curlCommand, cut, wireText } from '../../../reports/formats/exchange-text.ts';
import { differingPart } from '../../../reports/model/difference.ts';
import { visibleLine, visibleText } from '../../../reports/model/text.ts';

export interface SuiteOptions extends Omit<ConformanceOptions, 'signal'> {
  /** Prefix of the section names (default: the name of the target, or its contract). */
  readonly name?: string;
  /** True if broken implied requirements fail a test, too. */
  readonly strict?: boolean;
}

/**
 * Registers a test for each case, and one for each requirement that folds the outcomes of the cases. Await it at the
 * top of a test file. The test of a broken requirement fails with the expected and the actual value, annotated with the
 * exchange, a curl command and the smallest counterexample. Without a fixture that it needs, a test is skipped and
 * names the line to add.
 *
 * If the target is a function, it is called once, before the first test, when your `beforeAll` has started the server
 * and knows its port.
 *
 * ```ts
 * import { afterAll, beforeAll } from 'vitest';
 * import { defineConformanceSuite } from 'plumbline-conformance';
 *
 * let server;
 * beforeAll(async () => { server = await startMyServer(); });
 * afterAll(async () => server.close());
 *
 * await defineConformanceSuite(
 *   () => ({ contract: 'compute', baseUrl: server.url, keys: { primary: 'test-key' } }),
 *   { contract: 'compute' },
 * );
 * ```
 */
export async function defineConformanceSuite(
  target: TargetFileInput,
  options?: SuiteOptions,
): Promise<void>;
export async function defineConformanceSuite(
  target: () => TargetFileInput | Promise<TargetFileInput>,
  options: SuiteOptions & { readonly contract: Contract },
): Promise<void>;
export async function defineConformanceSuite(
  target: TargetFileInput | (() => TargetFileInput | Promise<TargetFileInput>),
  options: SuiteOptions & { readonly contract?: Contract } = {},
): Promise<void> {
  const contract = options.contract ?? (typeof target === 'function' ? undefined : target.contract);
  if (contract === undefined)
    throw new TypeError('A target that is a function needs { contract }.');
  const name =
    options.name ?? (typeof target === 'function' ? contract : (target.name ?? contract));
  await registerSuite({
    ...options,
    contract,
    name,
    sections: await loadSections(),
    journal: journalIn(process.cwd()),
    rerun: (id) => `npx vitest run -t "${id}"`,
    planned: async () => {
      const planned = plannedFrom(
        typeof target === 'function' ? await target() : target,
        options.folder,
      );
      if (planned.target.contract !== contract) {
        throw new TypeError(
          `The target keeps ${planned.target.contract}, and the suite is ${contract}.`,
        );
      }
      await requireReady(planned);
      return planned;
    },
  });
}

interface RegisteredSuite extends SuiteOptions {
  readonly contract: Contract;
  readonly name: string;
  readonly sections: readonly Section<never>[];
  readonly journal: string;
  /** The command that judges a requirement again. */
  readonly rerun: (id: string) => string;
  readonly planned: () => PlannedTarget | Promise<PlannedTarget>;
}

/** Registers the tests with the Vitest that runs this file. */
export async function registerSuite(suite: RegisteredSuite): Promise<void> {
  // Imported here, since `runConformance` needs no Vitest.
  const vitest = await import('vitest');
  const { contract, strict = false } = suite;
  const plan = planOf(suite);
  const catalogue = requirementsOf(contract);
  const selection = plannedSelection(contract, plan);
  const startedAt = new Date();
  const strengthOf = new Map(catalogue.map(({ id, strength }) => [id, strength]));
  const judged: RunPlan[] = [];
  let report: ConformanceReport | undefined;
  registerTarget(
    {
      name: suite.name,
      cases: plannedCases(suite.sections, contract, plan),
      requirements: catalogue
        .filter(({ id }) => selection.requirements.has(id))
        .map(({ id, section: name }) => {
          const own = plannedSelection(contract, { only: [id] });
          return { id, heading: `${contract}/${name}`, needs: (one) => own.includes(one) };
        }),
      options: plan,
      open: async () => {
        const planned = await suite.planned();
        const run = { ...plan, targets: [planned], journal: suite.journal };
        judged.push(run);
        return openSession(planned, run);
      },
      reportCase: (context, outcome) =>
        reportCase(context, outcome, (id) => strict || strengthOf.get(id) === 'stated'),
      reportRequirement: async (context, id, outcomes) => {
        const [run] = judged;
        if (run === undefined) return;
        report ??= reportOf({ plan: run, startedAt, outcomes, replay: suite.rerun });
        await reportRequirement(context, report, id, strict);
      },
    },
    vitest,
  );
}

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
