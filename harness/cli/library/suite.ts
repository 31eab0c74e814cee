/** Registers the suites as tests of a Vitest project, this one or a user's. */

import { requirementsOf, type TargetFileInput } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import type { ConformanceReport } from '../../../schemas/report.ts';
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
import { reportCase, reportRequirement } from './verdict-tests.ts';

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
