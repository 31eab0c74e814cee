/** Which cases a mutant meets first: those that reach it, the likely and the cheap before the others. */

/** What running a case costs, in requests; a case that waits costs more than one that does not. */
export interface CaseCost {
  readonly requests: number;
  readonly durationMs: number;
}

export interface WaveOptions {
  /** Of every case of the suite, by position. */
  readonly costs: readonly CaseCost[];
  /** How likely a case is to find something. */
  readonly credit: (position: number) => number;
  /** Whether the whole suite comes after these waves. */
  readonly whole: boolean;
}

/** A second of waiting is worth as much as this many requests. */
const REQUESTS_A_SECOND = 20;
/** Share of the cost of a whole run that the first wave may have, and the first two together. */
const FIRST_SHARE = 0.08;
const MOST_SHARE = 0.5;

/**
 * Positions of cases in waves. The first holds the cases of most `credit`, the cheaper first; the second all others
 * that reach the mutant, unless the whole suite comes after it and costs little more.
 */
export function wavesOf(
  reaching: readonly number[],
  { costs, credit, whole }: WaveOptions,
): readonly (readonly number[])[] {
  const costOf = (at: number): number => {
    const { requests, durationMs } = costs[at] ?? { requests: 0, durationMs: 0 };
    return 1 + requests + (durationMs / 1000) * REQUESTS_A_SECOND;
  };
  const sum = (positions: readonly number[]): number =>
    positions.reduce((total, at) => total + costOf(at), 0);
  const everything = sum([...costs.keys()]);
  const ordered = reaching.toSorted(
    (one, other) => credit(other) - credit(one) || costOf(one) - costOf(other),
  );
  const first: number[] = [];
  for (const at of ordered) {
    if (first.length > 0 && sum([...first, at]) > everything * FIRST_SHARE) break;
    first.push(at);
  }
  const second = ordered.slice(first.length);
  const waves = whole && sum(ordered) > everything * MOST_SHARE ? [first] : [first, second];
  return waves.filter((wave) => wave.length > 0);
}

/** Remembers which cases found something in which file: they are likely to do so again. */
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
