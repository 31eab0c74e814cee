/** Takes what the suites' cases tell out of a Vitest run. It writes nothing: the command composes. */

import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

import type { CaseOutcome } from '../schemas/outcome.ts';
import type { Trouble } from '../schemas/report.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the case saw; absent on tests that are no cases, and on cases that died. */
    outcome?: CaseOutcome;
  }
}

export interface OutcomeListener {
  readonly onOutcome: (outcome: CaseOutcome) => void;
  /** Something of ours failed outside of what a case could tell. */
  readonly onTrouble: (trouble: Trouble) => void;
  /** The number of cases, once it is known. */
  readonly onCases?: (total: number) => void;
  /** A section has run all of its cases; its name is `target › contract/section`. */
  readonly onSection?: (name: string) => void;
}

/** What Vitest gives as an error; thrown values of any kind arrive in this form. */
interface ThrownError {
  readonly message: string;
  readonly stack?: string;
}

/** The heading under which a section registers its cases: `target › contract/section`. */
const HEADING = /^(?<target>.*) › (?:compute|router)\/[^/]+$/u;

export class OutcomeReporter implements Reporter {
  readonly #listener: OutcomeListener;
  readonly #counts = { outcomes: 0, dead: 0, skipped: 0 };
  #cases = 0;

  constructor(listener: OutcomeListener) {
    this.#listener = listener;
  }

  /** Cases with an outcome, cases that died without one, and tests that did not run. */
  get counts(): Readonly<{ outcomes: number; dead: number; skipped: number }> {
    return { ...this.#counts };
  }

  onTestModuleCollected(module: TestModule): void {
    this.#cases += [...module.children.allTests()].length;
    this.#listener.onCases?.(this.#cases);
  }

  onTestCaseResult(testCase: TestCase): void {
    const { outcome } = testCase.meta();
    const { state, errors } = testCase.result();
    if (outcome !== undefined) {
      this.#counts.outcomes += 1;
      this.#listener.onOutcome(outcome);
      const explained = outcome.findings.length + outcome.errors.length > 0;
      if (state === 'failed' && !explained) this.#troubles(testCase, errors);
    } else if (state === 'skipped') {
      this.#counts.skipped += 1;
    } else {
      this.#counts.dead += 1;
      this.#troubles(testCase, errors ?? []);
    }
  }

  onTestSuiteResult(suite: TestSuite): void {
    if (HEADING.test(suite.name)) this.#listener.onSection?.(suite.name);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly ThrownError[]): void {
    for (const error of unhandled) this.#trouble('', 'outside of any case', error);
    for (const module of modules) {
      for (const error of module.errors()) this.#trouble('', module.moduleId, error);
      for (const suite of module.children.allSuites()) {
        const target = HEADING.exec(suite.name)?.groups?.['target'] ?? '';
        for (const error of suite.errors()) this.#trouble(target, suite.fullName, error);
      }
    }
  }

  /** A test that failed and left no reason is told all the same. */
  #troubles(testCase: TestCase, errors: readonly ThrownError[]): void {
    const { parent } = testCase;
    const heading = parent.type === 'suite' ? parent.name : '';
    const target = HEADING.exec(heading)?.groups?.['target'] ?? '';
    const told = errors.length > 0 ? errors : [{ message: 'the case ended without an outcome' }];
    for (const error of told) this.#trouble(target, testCase.fullName, error);
  }

  #trouble(target: string, name: string, { message, stack }: ThrownError): void {
    this.#listener.onTrouble({
      target,
      case: name,
      message,
      ...(stack === undefined ? {} : { stack }),
    });
  }
}
