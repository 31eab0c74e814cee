/** Which cases a mutant meets first: those that reach it, the likely and the cheap before the others. */

/** What running a case costs; one that waits costs more than one that does not. */
export interface CaseCost {
  readonly requests: number;
  readonly durationMs: number;
}

/** A second of waiting is worth as much as this many requests. */
const REQUESTS_A_SECOND = 20;
/** Share of the cost of a whole run that the first cases may have. */
const FIRST_SHARE = 0.08;

/** Positions of the first cases: those of most `credit`, and the cheaper first; at least one, if any reaches the mutant. */
export function firstCases(
  reaching: readonly number[],
  costs: readonly CaseCost[],
  credit: (position: number) => number,
): readonly number[] {
  const costOf = (at: number): number => {
    const { requests, durationMs } = costs[at] ?? { requests: 0, durationMs: 0 };
    return 1 + requests + (durationMs / 1000) * REQUESTS_A_SECOND;
  };
  const sum = (positions: readonly number[]): number =>
    positions.reduce((total, at) => total + costOf(at), 0);
  const limit = sum([...costs.keys()]) * FIRST_SHARE;
  const ordered = reaching.toSorted(
    (one, other) => credit(other) - credit(one) || costOf(one) - costOf(other),
  );
  const first: number[] = [];
  for (const at of ordered) {
    if (first.length > 0 && sum([...first, at]) > limit) break;
    first.push(at);
  }
  return first;
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
