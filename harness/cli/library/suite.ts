/** The suites as tests of a Vitest project: of this one, and of somebody else's against a server in the same process. */

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
import { type ConformanceOptions, planOf } from './run-conformance.ts';
import { reportCase, reportRequirement } from './verdict-tests.ts';

export interface SuiteOptions extends Omit<ConformanceOptions, 'signal'> {
  /** Stands before the names of the sections; the name of the target, or its contract, unless told. */
  readonly name?: string;
  /** True to let broken implied requirements fail a test, too. */
  readonly strict?: boolean;
}

/**
 * Registers a test for each case, and one for each requirement, named by its id, that folds what the cases saw of it. Await
 * it at the top of a test file. The test of a broken requirement fails with what was expected and what came; exchange,
 * curl line and smallest counterexample are its annotations. A test is skipped, with the line to add, when the target
 * does not offer what it needs.
 *
 * A target that is a function is called once, before the first test: by then a `beforeAll` of yours has started the server
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
  // A run as a function needs no Vitest.
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
