/** Which cases a mutant meets first: those that reach it, the likely and the cheap before the others. */

/** What running a case costs; one that waits costs more than one that does not. */
export interface CaseCost {
  readonly requests: number;
  readonly durationMs: number;
}

/** A second of waiting is worth as much as this many requests. */
const REQUESTS_A_SECOND = 5;
/** Shares of the cost of a whole run that a few cases may have, and a few more. */
const SHARES = [0.015, 0.08] as const;

/**
 * Positions of the first few cases and of a few more: those of most `credit`, and the cheaper first. All cases of one
 * such wave are under way when the first of them finds something.
 */
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
