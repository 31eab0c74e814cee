/** The vocabulary of the suites. A section holds cases; a case provokes, checks and ends. */

import type { Arbitrary } from 'fast-check';
import type { NeedName } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Judgement } from '../checks/judgement.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Something that the case needs is missing; `line` is the line to add to the target file, if one helps. */
export class NotExercised extends Error {
  override name = 'NotExercised';
  readonly line: string | undefined;
  constructor(reason: string, line?: string) {
    super(reason);
    this.line = line;
  }
}

/** The target, the network or the budget kept the case from seeing what it judges. */
export class Inconclusive extends Error {
  override name = 'Inconclusive';
}

/** For a rejection after which a case goes on without what could not be seen. Throws what is no obstacle. */
export function orInconclusive(error: unknown): undefined {
  if (!(error instanceof Inconclusive)) throw error;
}

/** True when something could not be seen, for want of a need or because of an obstacle. */
export function isUnseen(error: unknown): boolean {
  return error instanceof NotExercised || error instanceof Inconclusive;
}

/** How much a run tries: `quick` a few of the values that show the same thing, `thorough` all and more random ones. */
export type Depth = 'quick' | 'standard' | 'thorough';

/** Values that a property of weight 1 tries at each depth (default). */
export const valuesTried: Readonly<Record<Depth, number>> = {
  quick: 5,
  standard: 10,
  thorough: 100,
};

/** How a case reports what it saw; part of the context of every case. */
export interface TestContext<Id extends string> {
  /** Reports the result of a check for a requirement. */
  judge(id: Id, judgement: Judgement): void;
  /** Records what the deployment does where the contract is silent. */
  record(id: Id, note: string, exchange?: Exchange): void;
  /** Marks one requirement as not exercised; the case goes on. `line` is the line to add to the target file. */
  notExercised(id: Id, reason: string, line?: string): void;
  /** Marks one requirement as inconclusive; the case goes on. */
  inconclusive(id: Id, reason: string): void;
  /** Records that an instance changed its state, for the picture of the state machine. */
  transition(from: string, to: string): void;
  /**
   * Waits for requests that were sent before, and sends nothing meanwhile. Cases that need the target alone may run
   * during the wait, so that waits for deadlines overlap with them.
   */
  yieldTarget<T>(waiting: () => Promise<T>): Promise<T>;
  /** Runs `probe` for generated values and shrinks a violation. Inconclusive when no run was informative. */
  property<T>(
    name: string,
    arbitrary: Arbitrary<T> | ArbitraryOfCommands<T>,
    probe: (value: T, judge: TestContext<Id>['judge']) => Promise<void>,
    options?: PropertyOptions<T>,
  ): Promise<void>;
  /** Seed of this case, derived from the run's seed and the case's name, so that the order of cases does not matter. */
  readonly seed: number;
  /** True for a thorough run, which tries all values that show the same thing. */
  readonly thorough: boolean;
  /**
   * Selects from values that show the same thing: `few` in a quick run (default 2), `usual` in a standard one
   * (default all), all in a thorough one. The first value is always selected, the seed selects the others.
   */
  some<T>(values: readonly T[], few?: number, usual?: number): readonly T[];
  /** Ends when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Calls `act` once the case has ended, however it ended, to give back what the case had to itself. */
  atEnd(act: () => void): void;
}

/** Makes the arbitrary of a model-based property. A replay passes the record of the commands that ran. */
export type ArbitraryOfCommands<T> = (replayPath: string | null) => Arbitrary<T>;

export interface PropertyOptions<T> {
  /** Values that every run tries before the generated ones and in addition to them. */
  readonly examples?: readonly T[];
  /** Factor on the number of values that a property tries (default 1). */
  readonly weight?: number;
  /** Milliseconds after which no further value is tried. */
  readonly timeLimitMs?: number;
  /** Values tried in search of a smaller counterexample (default 500). */
  readonly mostShrinks?: number;
}

/**
 * - `shared`: other cases run at the same time.
 * - `fixtures`: other cases run, except those that use one of the same fixtures.
 * - `target`: no other case runs. Such a case comes last. With `waitsLong` it comes early, while other cases have
 *   yielded the target and wait for their answers.
 */
type Isolation = 'shared' | 'target' | { readonly fixtures: readonly string[] };

/** The fixtures that a case has to itself. */
export function fixturesOf({
  isolation,
}: Pick<CaseOptions<never>, 'isolation'>): readonly string[] {
  return typeof isolation === 'object' ? isolation.fixtures : [];
}

export interface CaseOptions<Id extends string> {
  /** The requirements that the case sets out to judge. Those that it does not see are inconclusive. */
  readonly judges: readonly [Id, ...Id[]];
  /** What the case needs in addition to the needs of its requirements. */
  readonly needs?: readonly NeedName[];
  /** What the case shares with others (default 'shared'). */
  readonly isolation?: Isolation;
  /** True for a case that mostly waits. It starts before the others, so that its wait overlaps with their work. */
  readonly waitsLong?: boolean;
  /** True for a case that begins to wait only when no case is at work, shortly before the next one has the target alone. */
  readonly whenIdle?: boolean;
}

export interface SuiteCase<Context, Id extends string = string> extends CaseOptions<Id> {
  readonly title: string;
  /** Approximate number of requests at each depth, as measured (`suites/costs.json`). */
  readonly requests?: readonly [quick: number, standard: number, thorough?: number | undefined];
  readonly run: (context: Context) => Promise<void>;
}

/** Assumed number of requests of a case that was not measured. */
const USUAL_REQUESTS = 5;

/** Requests that a thorough run adds to a standard one, per request that a standard run adds to a quick one (measured). */
const THOROUGH_SHARE = 1.5;

/** Approximate number of requests that a case sends at a depth. */
export function requestsOf(
  { requests }: Pick<SuiteCase<never>, 'requests'>,
  depth: Depth = 'standard',
): number {
  if (requests === undefined) return USUAL_REQUESTS;
  const [quick, standard, thorough] = requests;
  if (depth === 'quick') return quick;
  if (depth === 'standard') return standard;
  return thorough ?? standard + Math.round(THOROUGH_SHARE * Math.max(0, standard - quick));
}

export interface Section<Context, Id extends string = string> {
  readonly contract: Contract;
  /** Slug of the documented section, and name of the suite file. */
  readonly name: string;
  readonly cases: readonly SuiteCase<Context, Id>[];
}

/** Defines one case of a section. */
export type DefineCase<Context, Id extends string> = (
  title: string,
  options: CaseOptions<Id>,
  run: (context: Context) => Promise<void>,
) => void;

/** Makes the function with which the suite files of one contract define their sections. */
export function sectionsOf<Context, Id extends string>(contract: Contract) {
  return function section(
    name: string,
    define: (test: DefineCase<Context, Id>) => void,
  ): Section<Context, Id> {
    const cases: SuiteCase<Context, Id>[] = [];
    define((title, options, run) => {
      if (cases.some((other) => other.title === title)) {
        throw new Error(`${contract}/${name} has two cases named "${title}"`);
      }
      cases.push({ ...options, title, run });
    });
    return { contract, name, cases };
  };
}

/** The reason of a signal that ends a run although nobody interrupts it. */
export class RunEnded extends Error {}

/** Why a signal ended a run, as a report says it. */
export function endOf({ reason }: AbortSignal): string {
  return reason instanceof RunEnded ? reason.message : 'the run was interrupted';
}

/** Judges what was seen; when nothing was seen, `reason` says what was missing. */
export function judgeOrLack<Id extends string>(
  testContext: Pick<TestContext<Id>, 'judge' | 'notExercised'>,
  id: Id,
  judgement: Judgement,
  reason: string,
  line?: string,
): void {
  if (judgement.seen === 0) testContext.notExercised(id, reason, line);
  else testContext.judge(id, judgement);
}

/** A scenario that many cases judge and that runs once per session, that is for one run against one target. */
export class Experiment<Context extends { readonly session: object }, T> {
  readonly #run: (t: Context) => Promise<T>;
  readonly #done = new WeakMap<object, Promise<T>>();

  constructor(run: (t: Context) => Promise<T>) {
    this.#run = run;
  }

  /** The result in this session. After a failure the next caller runs the scenario again; `NotExercised` holds for all. */
  async of(t: Context): Promise<T> {
    const before = this.#done.get(t.session);
    if (before !== undefined) return before;
    const seen = this.#run(t);
    this.#done.set(t.session, seen);
    try {
      return await seen;
    } catch (error) {
      if (!(error instanceof NotExercised)) this.#done.delete(t.session);
      throw error;
    }
  }

  /** An experiment that continues this one and changes the state that it left. A repetition first runs this one again. */
  goingOn<U>(run: (t: Context, seen: T) => Promise<U>): Experiment<Context, U> {
    const begun = new WeakSet<Promise<T>>();
    return new Experiment(async (t) => {
      const before = this.#done.get(t.session);
      if (before !== undefined && begun.has(before)) this.#done.delete(t.session);
      const seen = this.of(t);
      begun.add(this.#done.get(t.session) ?? seen);
      return run(t, await seen);
    });
  }
}
