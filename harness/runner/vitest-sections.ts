/**
 * Registers sections as Vitest tests. The outcome of a case travels in the test's meta data;
 * the colour of the test is only what a person sees while it runs.
 */

import type { afterAll, describe, test } from 'vitest';
import type { CaseOutcome, OutcomeFinding } from '../../schemas/outcome.ts';
import { fitting, fittingCase } from './fitting.ts';
import type { Section, SuiteCase } from './case.ts';
import type { HeadStart } from './head-start.ts';
import { PHASES, phaseOf } from './run-all.ts';
import { runCase, type SuiteSession } from './run-case.ts';
import type { Selection } from './selection.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the case saw; absent on tests that are no cases. */
    outcome?: CaseOutcome;
  }
}

/** A session that Vitest's hooks end. */
export interface RunnableSession extends SuiteSession<unknown> {
  /** Ends everything under way and gives back what the session took from the target. */
  close(): Promise<void>;
  /** Ends every request under way; what was being judged becomes inconclusive. */
  readonly abort: () => void;
}

/** The functions of the Vitest that runs the file: a library may meet another one than its own. */
export interface VitestFunctions {
  readonly describe: typeof describe;
  readonly test: typeof test;
  readonly afterAll: typeof afterAll;
}

export interface SectionRun {
  /** Opens the session of the target on first use, the same one for every section. */
  readonly session: () => Promise<RunnableSession>;
  readonly targetName: string;
  readonly selection: Selection;
  readonly seed: number;
  readonly runs: number;
  readonly thorough?: boolean | undefined;
  readonly replay?: { readonly property: string; readonly path: string } | undefined;
  /** Findings that colour a test red; all of them unless told. */
  readonly counts?: ((finding: OutcomeFinding) => boolean) | undefined;
  /** Fires when the run is to end before its time. */
  readonly ending?: AbortSignal | undefined;
  /** True to send the outcome to the reporter. */
  readonly tells: boolean;
  /** The head start that this target has, or waits for. */
  readonly headStart?: { readonly isOwn: boolean; readonly of: HeadStart } | undefined;
}

/**
 * Registers every selected case of sections that run beside one another. They start in the order of their phases, so
 * that waits overlap with work: a section is named once for each phase in which it has cases.
 */
export function registerSections(
  sections: readonly Section<never>[],
  run: SectionRun,
  vitest: VitestFunctions,
): void {
  for (const phase of PHASES) {
    for (const section of sections) {
      const cases = section.cases.filter(
        (one) => run.selection.includes(one) && phaseOf(one) === phase,
      );
      if (cases.length > 0) registerCases(section, cases, run, vitest);
    }
  }
}

function registerCases(
  section: Section<never>,
  cases: readonly SuiteCase<never>[],
  run: SectionRun,
  { describe, test }: VitestFunctions,
): void {
  describe(`${run.targetName} › ${section.contract}/${section.name}`, () => {
    for (const one of cases) {
      test.concurrent(one.title, { timeout: 0 }, async ({ task, signal: own, skip }) => {
        const session = await run.session();
        const { headStart } = run;
        if (headStart?.isOwn === false) await headStart.of.ended();
        const signal = run.ending === undefined ? own : AbortSignal.any([own, run.ending]);
        if (signal.aborted) session.abort();
        signal.addEventListener('abort', () => session.abort(), { once: true });
        const outcome = await runCase(fitting(section), caseToRun(one, run), session, {
          seed: run.seed,
          runs: run.runs,
          thorough: run.thorough,
          signal,
          replay: run.replay,
        });
        if (run.tells) task.meta.outcome = outcome;
        const finding = outcome.findings.find((each) => run.counts?.(each) ?? true);
        const [error] = outcome.errors;
        if (finding !== undefined) throw new Error(`${finding.requirement}: ${finding.message}`);
        if (error !== undefined) throw new Error(error.message);
        const [gap] = outcome.gaps;
        if (gap !== undefined && Object.keys(outcome.seen).length === 0) skip(gap.reason);
      });
    }
  });
}

function caseToRun(one: SuiteCase<never>, { headStart }: SectionRun): SuiteCase<unknown> {
  const fits = fittingCase(one);
  return headStart?.isOwn === true ? headStart.of.watched(fits) : fits;
}

/** Closes the session when the file is done, also after an interrupt. */
export function closeAtEnd(
  opened: () => Promise<RunnableSession | undefined> | undefined,
  { afterAll }: VitestFunctions,
): void {
  afterAll(async () => {
    await (await opened())?.close();
  }, 60_000);
}
