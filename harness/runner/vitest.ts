/** Registers cases and requirements as tests of Vitest. */

import type { afterAll, beforeAll, describe, RunnerTestSuite, test, TestContext } from 'vitest';
import type { SuiteCase } from './case.ts';
import { type CaseOfSection, phaseOf, startCases, whenReady } from './run.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { CaseRunOptions, RunnableSession } from './run-case.ts';

/** Longest head start in milliseconds. On a slow target the other targets' own waits take longer than that. */
const MAX_MS = 2_000;

/** The phase of cases that wait with the target to themselves. */
const ALONE_PHASE = phaseOf({ waitsLong: true, isolation: 'target' });

/** Whether a target with these cases gets a head start. */
export function needsHeadStart(cases: readonly Parameters<typeof phaseOf>[0][]): boolean {
  return cases.some((one) => phaseOf(one) === ALONE_PHASE);
}

export class HeadStart {
  #end: () => void = () => undefined;
  #bound: NodeJS.Timeout | undefined;
  readonly #ended = new Promise<void>((end) => {
    this.#end = end;
  });

  /** Resolves when other targets may begin. */
  async ended(): Promise<void> {
    this.#bound ??= setTimeout(() => this.#end(), MAX_MS);
    return this.#ended;
  }

  /** Wraps a case of the target with the head start, which ends when a case of `ALONE_PHASE` or a later phase runs. */
  watched<Context>(one: SuiteCase<Context>): SuiteCase<Context> {
    if (phaseOf(one) < ALONE_PHASE) return one;
    return {
      ...one,
      run: async (context) => {
        clearTimeout(this.#bound);
        this.#end();
        return one.run(context);
      },
    };
  }
}

declare module 'vitest' {
  interface TaskMeta {
    /** The outcome of the case, for reporters. */
    outcome?: CaseOutcome;
  }
}

/** The functions of the Vitest that runs the file. */
export interface VitestFunctions {
  readonly afterAll: typeof afterAll;
  readonly beforeAll: typeof beforeAll;
  readonly describe: typeof describe;
  readonly test: typeof test;
}

/** A requirement as a test. */
interface RequirementTest {
  readonly id: string;
  /** Heading of its section, `contract/section`. */
  readonly heading: string;
  /** Whether the requirement needs the case. */
  readonly needs: (one: CaseOfSection['one']) => boolean;
}

export interface TestedTarget {
  readonly name: string;
  /** In starting order. */
  readonly cases: readonly CaseOfSection[];
  readonly requirements: readonly RequirementTest[];
  readonly options: Omit<CaseRunOptions, 'signal'>;
  /** Fires when the run must end early. */
  readonly ending?: AbortSignal | undefined;
  /** The head start that this target has (`isOwn`) or waits for. */
  readonly headStart?: { readonly isOwn: boolean; readonly of: HeadStart } | undefined;
  readonly open: () => Promise<RunnableSession>;
  /** Passes, skips or fails the test of a case. */
  readonly reportCase: (context: TestContext, outcome: CaseOutcome) => Promise<void> | void;
  /** Passes, skips or fails the test of a requirement from the outcomes of all cases that ran. */
  readonly reportRequirement: (
    context: TestContext,
    id: string,
    outcomes: readonly CaseOutcome[],
  ) => Promise<void> | void;
}

/** Registers the tests of a target. */
export function registerTarget(
  target: TestedTarget,
  { afterAll, beforeAll, describe, test }: VitestFunctions,
): void {
  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, ...(target.ending ? [target.ending] : [])]);
  const of = target.headStart?.isOwn === true ? target.headStart.of : undefined;
  const cases = target.cases.map((each) =>
    of === undefined ? each : { ...each, one: of.watched(each.one) },
  );
  let session: RunnableSession | undefined;
  let outcomes: ReturnType<typeof startCases> = new Map();

  const start = async (suite: RunnerTestSuite): Promise<void> => {
    const wanted = neededBy(namesOf(suite), cases, target.requirements);
    if (wanted.length === 0) return;
    const opened = await target.open();
    session = opened;
    if (signal.aborted) opened.abort();
    signal.addEventListener('abort', () => opened.abort(), { once: true });
    await whenReady(wanted, opened);
    if (target.headStart?.isOwn === false) await target.headStart.of.ended();
    outcomes = startCases(wanted, opened, { ...target.options, signal });
  };
  const cancelWith = (context: TestContext): void =>
    context.signal.addEventListener('abort', () => cancelled.abort(), { once: true });

  describe(target.name, { concurrent: true }, () => {
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads fixtures off the first parameter, and accepts no name
    beforeAll(async ({}, suite) => start(suite), 0);
    afterAll(async () => {
      cancelled.abort();
      await session?.close();
    }, 0);
    for (const heading of headingsOf(target)) {
      describe(heading, () => {
        for (const { one } of cases.filter((each) => headingOf(each) === heading)) {
          test(one.title, { timeout: 0 }, async (context) => {
            cancelWith(context);
            const outcome = await outcomes.get(one);
            if (outcome === undefined) throw new Error('the case was not started');
            await target.reportCase(context, outcome);
          });
        }
        const own = target.requirements.filter((each) => each.heading === heading);
        if (own.length === 0) return;
        describe(REQUIREMENTS, () => {
          for (const { id } of own) {
            test(id, { timeout: 0 }, async (context) => {
              cancelWith(context);
              await target.reportRequirement(context, id, await Promise.all(outcomes.values()));
            });
          }
        });
      });
    }
  });
}

const REQUIREMENTS = 'requirements';

function headingOf({ section }: CaseOfSection): string {
  return `${section.contract}/${section.name}`;
}

/** Sections in the order in which their cases start; sections without cases come last. */
function headingsOf({ cases, requirements }: TestedTarget): readonly string[] {
  return [...new Set([...cases.map(headingOf), ...requirements.map(({ heading }) => heading)])];
}

/** Names of the tests that Vitest selected, each with the names of its suites. */
function namesOf(suite: Pick<RunnerTestSuite, 'tasks'>): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (tasks: RunnerTestSuite['tasks'], above: readonly string[]): void => {
    for (const task of tasks) {
      const path = [...above, task.name];
      if (task.type === 'suite') walk(task.tasks, path);
      else if (task.mode !== 'skip' && task.mode !== 'todo') names.add(path.join('\n'));
    }
  };
  walk(suite.tasks, []);
  return names;
}

/** The cases that the selected tests need, in starting order. */
function neededBy(
  selected: ReadonlySet<string>,
  cases: readonly CaseOfSection[],
  requirements: readonly RequirementTest[],
): readonly CaseOfSection[] {
  const asking = requirements.filter(({ id, heading }) =>
    selected.has([heading, REQUIREMENTS, id].join('\n')),
  );
  return cases.filter(
    (each) =>
      selected.has([headingOf(each), each.one.title].join('\n')) ||
      asking.some(({ needs }) => needs(each.one)),
  );
}
