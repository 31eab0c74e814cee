/** The trial of mutants: which cases each meets first, which are grouped, and the verdict on survivors. */

import type { Mutant } from './instrument.ts';
import type { MutantJob, MutantResult } from './mutant-thread.ts';
import type { Survivor } from './survivors.ts';

/** How a job ended: with a result, by a timeout, or by the death of its thread. */
export type JobEnd = MutantResult | 'endless' | 'died';

export interface Recording {
  /** Titles of the cases, by position. */
  readonly titles: readonly string[];
  /** By position of the case. */
  readonly costs: readonly CaseCost[];
  /** Number of mutants that requests reach. */
  readonly reached: number;
  /** Positions of the cases that reach a mutant. Undefined if not even a whole run does. */
  readonly casesOf: (id: string) => readonly number[] | undefined;
  /** Whether a mutant is in code that runs once, at import. */
  readonly isAtImport: (id: string) => boolean;
  /** Requirements that stay undecided or unexercised. */
  readonly undecided: ReadonlySet<string>;
}

/** The cost of a case: its requests, and the time that it waits. */
export interface CaseCost {
  readonly requests: number;
  readonly durationMs: number;
}

/** A second of waiting counts as this many requests. */
const REQUESTS_A_SECOND = 5;
/** Shares of the cost of a whole run for the first wave of cases, and for the second. */
const SHARES = [0.015, 0.08] as const;

/** Positions of the first two waves of cases: highest `credit` first, then the cheapest. A wave runs concurrently. */
export function firstWaves(
  reaching: readonly number[],
  costs: readonly CaseCost[],
  credit: (position: number) => number,
): readonly (readonly number[])[] {
  const costOf = (at: number): number => {
    const { requests, durationMs } = costs[at] ?? { requests: 0, durationMs: 0 };
    return 1 + requests + (durationMs / 1000) * REQUESTS_A_SECOND;
  };
  const sum = (positions: readonly number[]): number =>
    positions.reduce((total, at) => total + costOf(at), 0);
  const whole = sum([...costs.keys()]);
  const left = reaching.toSorted(
    (one, other) => credit(other) - credit(one) || costOf(one) - costOf(other),
  );
  const waves = SHARES.map((share) => {
    const wave = left.splice(0, 1);
    while (left[0] !== undefined && sum([...wave, left[0]]) <= whole * share) {
      wave.push(...left.splice(0, 1));
    }
    return wave;
  });
  return waves.filter((wave) => wave.length > 0);
}

/** Remembers which cases found mutants of a file, since they are likely to find more. */
export class Credits {
  readonly #credits = new Map<string, number>();

  add(file: string, finders: readonly number[]): void {
    for (const at of finders) {
      const key = `${file} ${at}`;
      this.#credits.set(key, (this.#credits.get(key) ?? 0) + 1 / finders.length);
    }
  }

  of(file: string): (position: number) => number {
    return (position) => this.#credits.get(`${file} ${position}`) ?? 0;
  }
}

/** Maximum mutants in one deployment. More would hide one another. */
const MAX_MEMBERS = 6;

/** Every item is in exactly one group. Groups mix files, as evenly as possible. */
export function groupsOf<Item>(
  items: readonly Item[],
  fileOf: (item: Item) => string,
): readonly (readonly Item[])[] {
  const files = new Map<string, Item[]>();
  for (const item of items) {
    const others = files.get(fileOf(item)) ?? [];
    others.push(item);
    files.set(fileOf(item), others);
  }
  const groups: (readonly Item[])[] = [];
  for (;;) {
    const fullest = [...files.values()]
      .filter((left) => left.length > 0)
      .toSorted((one, other) => other.length - one.length)
      .slice(0, MAX_MEMBERS);
    if (fullest.length === 0) return groups;
    groups.push(fullest.flatMap((left) => left.splice(0, 1)));
  }
}

/** `killed`: the suite found something. */
export interface MutantVerdict {
  readonly mutant: Mutant;
  readonly kind: 'killed' | Survivor['kind'];
  readonly by?: string | undefined;
}

/** Requirements that a busy machine may leave undecided. If a group of mutants leaves more, they may hide one another. */
const FEW = 5;
export interface TrialOptions {
  readonly pool: Runner;
  readonly recording: Recording;
  readonly report: (verdict: MutantVerdict) => void;
  /** Additional jobs for a mutant that survives the default deployment. */
  readonly further: (mutant: Mutant) => readonly Omit<MutantJob, 'on'>[];
}

/** The part of the thread pool that a trial uses. */
interface Runner {
  run(job: MutantJob): Promise<JobEnd>;
  runFromImport(id: string, cases: readonly number[] | undefined): Promise<JobEnd>;
}

export class Trial {
  readonly #credits = new Credits();
  readonly #living: Mutant[] = [];
  readonly #options: TrialOptions;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  get hasLiving(): boolean {
    return this.#living.length > 0;
  }

  /** Takes the mutants that survived so far, in groups. */
  takeLiving(): readonly (readonly Mutant[])[] {
    return groupsOf(this.#living.splice(0), ({ file }) => file);
  }

  /** Runs the few cases that are likely to find the mutant and cheap. */
  async first(mutant: Mutant): Promise<void> {
    if (this.#options.recording.isAtImport(mutant.id)) return this.fromImport(mutant);
    const reaching = this.#options.recording.casesOf(mutant.id);
    if (reaching === undefined) return this.#lives(mutant, 'not-reached');
    const credit = this.#credits.of(mutant.file);
    for (const cases of firstWaves(reaching, this.#options.recording.costs, credit)) {
      if (this.#isFound(mutant, await this.#options.pool.run({ on: [mutant.id], cases })))
        return undefined;
    }
    this.#living.push(mutant);
  }

  /** Runs all cases that reach a mutant of the group. After a finding, each mutant is examined by itself. */
  async together(group: readonly Mutant[]): Promise<void> {
    const [first] = group;
    if (first !== undefined && group.length === 1) return this.alone(first, this.#cases(group));
    const end = await this.#options.pool.run({
      on: group.map(({ id }) => id),
      cases: this.#cases(group),
    });
    const isQuiet = typeof end !== 'string' && end.killedBy === undefined && !this.#isUnclear(end);
    if (isQuiet) {
      for (const mutant of group) {
        // If another mutant kept this one from being reached, it has not been tried.
        if (end.met.includes(mutant.id)) await this.#lives(mutant, 'survived');
        else await this.alone(mutant, this.#cases([mutant]));
      }
      return;
    }
    const left: Mutant[] = [];
    if (typeof end === 'string' || end.finders.length === 0) left.push(...group);
    else {
      for (const mutant of group) {
        const repeated = await this.#options.pool.run({ on: [mutant.id], cases: end.finders });
        if (!this.#isFound(mutant, repeated)) left.push(mutant);
      }
    }
    // Groups the rest again without those that were found. If none was found, each is tried alone.
    if (left.length < group.length) this.#living.push(...left);
    else for (const mutant of left) await this.alone(mutant, this.#cases([mutant]));
  }

  /** Runs the cases to their end and reports a verdict. */
  async alone(mutant: Mutant, cases: readonly number[] | undefined): Promise<void> {
    await this.#toTheEnd(mutant, await this.#options.pool.run({ on: [mutant.id], cases }));
  }

  /** Code that runs once at import needs a thread of its own. */
  async fromImport(mutant: Mutant): Promise<void> {
    await this.#toTheEnd(mutant, await this.#options.pool.runFromImport(mutant.id, undefined));
  }

  async #toTheEnd(mutant: Mutant, end: JobEnd): Promise<void> {
    if (this.#isFound(mutant, end)) return;
    const isUnclear = typeof end !== 'string' && this.#isUnclear(end);
    await this.#lives(mutant, isUnclear ? 'inconclusive' : 'survived');
  }

  /** Reports a survivor, unless an additional deployment shows the mutant. */
  async #lives(mutant: Mutant, kind: MutantVerdict['kind']): Promise<void> {
    for (const job of this.#options.further(mutant)) {
      if (this.#isFound(mutant, await this.#options.pool.run({ ...job, on: [mutant.id] }))) return;
    }
    this.#options.report({ mutant, kind });
  }

  /** Reports the verdict if there is one. */
  #isFound(mutant: Mutant, end: JobEnd): boolean {
    if (typeof end === 'string') {
      this.#options.report({ mutant, kind: end });
      return true;
    }
    if (end.killedBy === undefined) return false;
    this.#credits.add(mutant.file, end.finders);
    this.#options.report({ mutant, kind: 'killed', by: end.killedBy });
    return true;
  }

  #isUnclear({ undecided }: MutantResult): boolean {
    const usual = this.#options.recording.undecided;
    return undecided.filter((requirement) => !usual.has(requirement)).length > FEW;
  }

  /** Positions of all cases that reach one of the mutants. Undefined: all cases. */
  #cases(group: readonly Mutant[]): readonly number[] | undefined {
    const reaching = new Set(group.flatMap(({ id }) => this.#options.recording.casesOf(id) ?? []));
    // A mutant that no single case reaches may be reached by a combination of cases.
    return reaching.size === 0 ? undefined : [...reaching];
  }
}
