/** Collects the outcomes of the cases from a Vitest run. It writes nothing. */

import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

import type { CaseOutcome } from '../schemas/outcome.ts';
import type { RunnerError } from '../schemas/report.ts';
import { present } from './model/text.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the case observed. Absent if the case crashed. */
    outcome?: CaseOutcome;
  }
}

export interface OutcomeListener {
  readonly onOutcome: (outcome: CaseOutcome) => void;
  /** Called for an error of ours outside of any outcome. */
  readonly onError: (trouble: RunnerError) => void;
  readonly onCases?: (total: number) => void;
}

/** An error as Vitest reports it, for thrown values of any kind. */
interface ThrownError {
  readonly message: string;
  readonly stack?: string;
}

export class OutcomeReporter implements Reporter {
  readonly #listener: OutcomeListener;
  #cases = 0;

  constructor(listener: OutcomeListener) {
    this.#listener = listener;
  }

  onTestModuleCollected(module: TestModule): void {
    this.#cases += [...module.children.allTests()].length;
    this.#listener.onCases?.(this.#cases);
  }

  onTestCaseResult(testCase: TestCase): void {
    const { outcome } = testCase.meta();
    const { state, errors = [] } = testCase.result();
    if (outcome !== undefined) this.#listener.onOutcome(outcome);
    // A failed test without a reason is reported, too.
    const silent = outcome === undefined && state !== 'skipped' && errors.length === 0;
    const messages = silent ? [{ message: 'the case ended without an outcome' }] : errors;
    for (const error of messages) this.#trouble(targetOf(testCase), testCase.fullName, error);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly ThrownError[]): void {
    for (const error of unhandled) this.#trouble('', 'outside of any case', error);
    for (const module of modules) {
      for (const error of module.errors()) this.#trouble('', module.moduleId, error);
      for (const suite of module.children.allSuites()) {
        for (const error of suite.errors()) this.#trouble(targetOf(suite), suite.fullName, error);
      }
    }
  }

  #trouble(target: string, name: string, { message, stack }: ThrownError): void {
    this.#listener.onError({ target, case: name, message, ...present({ stack }) });
  }
}

/** The outermost suite of a test is its target. */
function targetOf(task: TestCase | TestSuite): string {
  const { parent } = task;
  if (parent.type === 'suite') return targetOf(parent);
  return task.type === 'suite' ? task.name : '';
}
