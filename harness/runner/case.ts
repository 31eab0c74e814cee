/** The vocabulary of the suites: a section holds cases, a case provokes, checks and is done. */

import type { Arbitrary } from 'fast-check';
import type { NeedName } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Judgement } from '../checks/judgement.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Something that the case needs is not there; `line` is what to add to the target file, if that would help. */
export class NotExercised extends Error {
  override name = 'NotExercised';
  readonly line: string | undefined;
  constructor(reason: string, line?: string) {
    super(reason);
    this.line = line;
  }
}

/** The target, the network or the budget did not let us see. */
export class Inconclusive extends Error {
  override name = 'Inconclusive';
}

/**
 * How much a run tries: `quick` takes some of the values that show the same thing, `thorough` more of them at random.
 */
export type Depth = 'quick' | 'standard' | 'thorough';

/** Values that a property of weight 1 tries, unless a run says otherwise. */
export const valuesTried: Readonly<Record<Depth, number>> = {
  quick: 5,
  standard: 10,
  thorough: 100,
};

/** How a case tells what it saw. Part of the context of every case. */
export interface TestContext<Id extends string> {
  /** What a check said of a requirement. */
  judge(id: Id, judgement: Judgement): void;
  /** What the deployment does where the contract is silent. */
  record(id: Id, note: string, exchange?: Exchange): void;
  /** One requirement could not be exercised, while the case goes on; `line` is what to add to the target file. */
  notExercised(id: Id, reason: string, line?: string): void;
  /** One requirement could not be decided, while the case goes on. */
  inconclusive(id: Id, reason: string): void;
  /** An instance was seen in one state and then in another; for the picture of the state machine. */
  transition(from: string, to: string): void;
  /**
   * Waits for what was sent before, and sends nothing meanwhile: cases that must be alone may run in that time, so that
   * waits for deadlines overlap with them.
   */
  yieldTarget<T>(waiting: () => Promise<T>): Promise<T>;
  /**
   * Runs `probe` for generated values and shrinks the first that breaks a requirement.
   * A property of which no run was informative leaves its requirements inconclusive.
   */
  property<T>(
    name: string,
    arbitrary: Arbitrary<T> | ArbitraryOfCommands<T>,
    probe: (value: T, judge: TestContext<Id>['judge']) => Promise<void>,
    options?: PropertyOptions<T>,
  ): Promise<void>;
  /** Seed of this case: derived from the run's seed and the case's name, so that order does not matter. */
  readonly seed: number;
  /** True for a run that tries all that shows the same thing. */
  readonly thorough: boolean;
  /**
   * Of values that show the same thing, those that this run tries: the first with as many others as make `few` in a quick run
   * (2 unless told) and `usual` in a standard one (all unless told), by the seed; a thorough one tries all.
   */
  some<T>(values: readonly T[], few?: number, usual?: number): readonly T[];
  /** Ends when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Calls `act` once the case has ended, whatever came of it: gives back what it had to itself. */
  atEnd(act: () => void): void;
}

/**
 * Makes the arbitrary of a model-based property: which commands ran decides how fast-check shrinks them, so a
 * replay needs the record of that, and hands it in.
 */
export type ArbitraryOfCommands<T> = (replayPath: string | null) => Arbitrary<T>;

export interface PropertyOptions<T> {
  /** Values that are tried in every run, before those that are generated and on top of their number. */
  readonly examples?: readonly T[];
  /** Share of the run's property runs that this property takes; 1 unless told. */
  readonly weight?: number;
  /** Milliseconds after which no further value is tried. */
  readonly timeLimitMs?: number;
  /** How many values are tried in search of a smaller counterexample; 500 unless told. */
  readonly mostShrinks?: number;
}

/**
 * - `shared`: everybody may be at work at the target meanwhile.
 * - `fixtures`: everybody but the cases that use one of the same fixtures.
 * - `target`: nobody. Such a case comes last of all; one that waits long, too, comes early, beside others that yielded the
 *   target while they wait for their answers.
 */
export type Isolation = 'shared' | 'target' | { readonly fixtures: readonly string[] };

/** The fixtures that a case has for itself. */
export function fixturesOf({
  isolation,
}: Pick<CaseOptions<never>, 'isolation'>): readonly string[] {
  return typeof isolation === 'object' ? isolation.fixtures : [];
}

export interface CaseOptions<Id extends string> {
  /** The requirements that the case sets out to judge. What it does not see of them is inconclusive. */
  readonly judges: readonly [Id, ...Id[]];
  /** What the case needs beyond what its requirements need. */
  readonly needs?: readonly NeedName[];
  /** With whom it shares the target (default 'shared'). */
  readonly isolation?: Isolation;
  /** True for a case that mostly waits: it starts before the others, so that the wait overlaps with work. */
  readonly waitsLong?: boolean;
  /**
   * True for one that waits and begins once no case is at work: for a wait that must not begin long before the next case
   * has the target to itself.
   */
  readonly whenIdle?: boolean;
}

export interface SuiteCase<Context, Id extends string = string> extends CaseOptions<Id> {
  readonly title: string;
  /** About how many requests it sends at each depth, as far as measured; `suites/costs.json` has the figures. */
  readonly requests?: readonly [quick: number, standard: number, thorough?: number | undefined];
  readonly run: (context: Context) => Promise<void>;
}

/** Requests of a case that nobody has measured yet. */
const USUAL_REQUESTS = 5;

/** What a thorough run adds to a standard one, in what that adds to a quick one: over both contracts, as measured. */
const THOROUGH_SHARE = 1.5;

/** About how many requests a case sends in a run of such a depth. */
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

/** Judges what was seen; says what would have had to be there when nothing was. */
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

/** Fill once, wait once, judge many: `session` is what the cases of one run against one target share. */
export class Experiment<Context extends { readonly session: object }, T> {
  readonly #run: (t: Context) => Promise<T>;
  readonly #done = new WeakMap<object, Promise<T>>();

  constructor(run: (t: Context) => Promise<T>) {
    this.#run = run;
  }

  /**
   * What was seen in this session. One that failed is done again by the next that asks; one that the target does not offer
   * is the same for all.
   */
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

  /**
   * An experiment that goes on from where this one ended, and changes what it left behind. Done again after a failure, it
   * begins with another one.
   */
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
